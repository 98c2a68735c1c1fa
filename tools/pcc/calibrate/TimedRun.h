// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded program that is timed repeatedly. A GPU has its own clock, and takes instructions from
// the host one by one, or many as one graph, as in a step. Two measures keep the host's calls out
// of the times:
//
//   * a program of few short instructions repeats them many times, so that they form graphs
//   * of a collective only the time on its own stream counts, after work during which the host
//     runs ahead
#pragma once

#include "runtime/execute/Session.h"

#include <limits>

namespace pcc::cli {

class TimedRun {
public:
  /// `timesCollective`: see TimedProgram.
  explicit TimedRun(bool timesCollective) : timesCollective(timesCollective) {}

  runtime::Status load(abi::Executable executable, const std::optional<machine::Link> &link);

  /// Runs the program `repeats` times on every rank after a barrier, and after one run that does
  /// not count, because other programs have used the caches. The time lasts from the start of the
  /// first rank to the end of the last one: with many ranks on few cores some start later. It is
  /// read from the clock of the device that runs them.
  runtime::Status run();

  int64_t repeats = 1;
  /// Seconds of one run of the latest round, and of its timed part. `best` is the least timed part,
  /// which the caller updates.
  double whole = 0, last = 0, best = std::numeric_limits<double>::infinity();

private:
  runtime::Status open(const abi::Executable &executable, const std::optional<machine::Link> &link);
  runtime::Status readCollectives();

  const bool timesCollective;
  std::unique_ptr<runtime::Session> session;
  bool isGpu = false;
  /// Number of times that one run executes the timed work.
  int64_t times = 1;
};

} // namespace pcc::cli
