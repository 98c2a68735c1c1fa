// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best order that is found under a memory cap: every named schedule that keeps to it, and list
// schedules by rules that are drawn at random and then changed little by little.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

struct AutoOptions {
  int64_t cap = 0;             ///< chunks of microbatches that a device may have live
  int64_t trials = 3000;       ///< at most
  int64_t pieces = 40'000'000; ///< of work that are placed in all trials together
  uint64_t seed = 1;
};

struct AutoSchedule {
  Order order;       ///< empty if nothing keeps to the cap
  double length = 0; ///< of the device that takes longest from its first to its last work
  std::string name;  ///< of the schedule that it is, or `list`
};

/// Never longer than a named schedule that keeps to the cap. The same for the same options.
AutoSchedule autoSchedule(const PipelineShape &shape, const PipelineTimes &times,
                          const AutoOptions &options);

} // namespace pcc::order
