// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is loaded to be timed again and again. A GPU has a clock of its own, and takes
// records from the host one by one, or many as one graph, as in a step: so that no time is that of
// the host's calls,
//
//   * a program of few short records has them many times over, which makes graphs of them
//   * of a collective only the time on its own stream counts, behind work during which the host
//     goes ahead
#pragma once

#include "runtime/execute/Session.h"

#include <limits>

namespace pcc::cli {

class TimedRun {
public:
  /// `timesCollective`: as TimedProgram has it.
  explicit TimedRun(bool timesCollective) : timesCollective(timesCollective) {}

  runtime::Status load(abi::Executable executable, const std::optional<machine::Link> &link);

  /// `repeats` runs of every rank between two barriers, behind one that does not count, for other
  /// programs have had the caches. It takes from when the first rank begins, for of many on few
  /// cores some begin later, until the last one ends, by the clock of the device that runs them.
  runtime::Status run();

  int64_t repeats = 1;
  /// Seconds of one run of the latest round, and of what of it is timed; the least of that is the
  /// caller's to keep.
  double whole = 0, last = 0, best = std::numeric_limits<double>::infinity();

private:
  runtime::Status open(const abi::Executable &executable, const std::optional<machine::Link> &link);
  runtime::Status readCollectives();

  const bool timesCollective;
  std::unique_ptr<runtime::Session> session;
  bool isGpu = false;
  /// How often a run does what is timed.
  int64_t times = 1;
};

} // namespace pcc::cli
