// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc simulate --schedule=NAME`: a pipeline schedule with the same times in all stages, its
// timeline, its bubble, and how many microbatches it keeps live.
#pragma once

#include "tools/pcc/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

namespace pcc::cli {

struct ScheduleCounts {
  int stages = 1;
  int64_t microbatches = 1;
  int chunks = 0; ///< of each stage; 0: as many as the schedule has by itself
};

class ScheduleFlags {
public:
  explicit ScheduleFlags(llvm::cl::SubCommand &command);

  bool isGiven() const { return schedule.getNumOccurrences() > 0; }
  /// The name of a flag that only a schedule heeds, if one was given; else nothing.
  llvm::StringRef givenFlag() const;

  /// Prints what becomes of the schedule, in `columns` of text or as JSON. BadUsage or Infeasible
  /// after a message.
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
