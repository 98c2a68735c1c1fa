// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search for the shortest order under a memory cap. Tries every named schedule of the same
// placement that respects the cap, and list schedules by random rules. The best rule is then
// changed step by step.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

struct AutoOptions {
  int64_t cap = 0; ///< maximum number of live pairs of microbatch and virtual stage on a device
  int64_t trials = 3000;           ///< maximum number of list schedules
  int64_t maxActions = 40'000'000; ///< maximum number of scheduled actions over all trials
  uint64_t seed = 1;
};

struct AutoSchedule {
  Order order;       ///< empty if no order respects the cap
  double length = 0; ///< longest time of a device from its first start to its last end
  std::string name;  ///< name of the schedule, or `list`
};

/// Returns an order that is never longer than a named schedule within the cap. Deterministic for
/// given options.
AutoSchedule autoSchedule(const PipelineShape &shape, const PipelineTimes &times,
                          const AutoOptions &options);

} // namespace pcc::order
