// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The losses of a rank's steps, in order. Where the device works beside the host, a step's loss is
// looked at when the next step is enqueued, so that the device never waits for the host:
//
//   host      enqueue 0 | enqueue 1 | look at 0, enqueue 2 | look at 1, …
//   device    | step 0 ............. | step 1 ............. | step 2 …
//
// A rank without a loss is held back in the same way.

#ifndef PCC_RUNTIME_EXECUTE_LATELOSSES_H
#define PCC_RUNTIME_EXECUTE_LATELOSSES_H

#include "runtime/execute/Losses.h"

#include <array>

namespace pcc::runtime {

class LateLosses {
public:
  static Expected<LateLosses> make(const LossReader &losses, RankExecutor &rank);

  /// To be told of each section that ran for the last time in a step, and of each step's end.
  Status sectionDone(uint32_t section);
  Status stepDone();

  /// Steps whose losses were not looked at, and how many these may be while steps are enqueued.
  int64_t unseen() const { return taken - seen; }
  int64_t mostUnseen() const { return ahead; }
  /// The first of them, and its loss as the rank has it (0 without one); waits for it.
  int64_t firstUnseen() const { return seen; }
  Expected<double> look();

private:
  LateLosses(const LossReader &losses, RankExecutor &rank) : losses(&losses), rank(&rank) {}
  Status take();

  const LossReader *losses;
  RankExecutor *rank;
  /// By steps in turn.
  std::array<std::unique_ptr<Snapshot>, 2> snapshots;
  int64_t ahead = 0, taken = 0, seen = 0;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_LATELOSSES_H
