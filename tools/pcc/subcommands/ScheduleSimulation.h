// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc simulate --schedule=NAME`: simulates a pipeline schedule with the same times in all stages.
// Reports its timeline, its bubble, and the number of microbatches that it keeps live.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

namespace pcc::cli {

struct ScheduleCounts {
  int stages = 1;
  int64_t microbatches = 1;
  int chunks = 0; ///< virtual stages of each stage; 0: the schedule's default
};

class ScheduleFlags {
public:
  explicit ScheduleFlags(llvm::cl::SubCommand &command);

  bool isGiven() const { return schedule.getNumOccurrences() > 0; }
  /// Returns the name of a flag that only a schedule uses, if one was given; else an empty string.
  llvm::StringRef givenFlag() const;

  /// Prints the simulated schedule, in `columns` of text or as JSON. Returns BadUsage or Infeasible
  /// after an error message.
  ExitCode run(const ScheduleCounts &counts, int columns, bool isJson) const;

private:
  struct Simulated;
  ExitCode readTimes(std::vector<double> &values) const;
  ExitCode expandOrder(const ScheduleCounts &counts, const std::vector<double> &values,
                       Simulated &result) const;
  ExitCode searchOrder(const ScheduleCounts &counts, const std::vector<double> &values,
                       Simulated &result) const;

  llvm::cl::opt<std::string> schedule, times, latency;
  llvm::cl::opt<int> liveLimit;
};

} // namespace pcc::cli
