// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The named schedules: what each needs, and the order that it gives.
#pragma once

#include "passes/solve/order/Pipeline.h"
#include <optional>
#include <span>
#include <string_view>

namespace pcc::order {

struct Schedule {
  std::string_view name; ///< as on the command line: `1f1b`
  Placement placement;
  /// Whether gradients of weights are work of their own.
  bool splitsBackward;
  /// What the schedule demands of a shape; empty if it holds. `expected …, got …`.
  std::string (*whyNot)(const PipelineShape &shape);
  /// The order of a shape of which `whyNot` says nothing. Only zb-v asks for times.
  Order (*expand)(const PipelineShape &shape, const PipelineTimes &times);

  /// Chunks per device, if the user names none.
  int defaultChunks() const;
};

/// All of them.
std::span<const Schedule> listSchedules();

/// Nothing if there is none of this name.
const Schedule *findSchedule(std::string_view name);

/// `gpipe, 1f1b, …`
std::string listScheduleNames();

} // namespace pcc::order
