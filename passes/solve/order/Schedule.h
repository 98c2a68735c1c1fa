// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The named schedules, with their requirements and orders.
#pragma once

#include "passes/solve/order/Pipeline.h"
#include <optional>
#include <span>
#include <string_view>

namespace pcc::order {

struct Schedule {
  std::string_view name; ///< name on the command line: `1f1b`
  Placement placement;
  /// Whether weight gradients are actions of their own.
  bool splitsBackward;
  /// Returns the violated requirement as `expected …, got …`; empty if the shape is valid.
  std::string (*findViolation)(const PipelineShape &shape);
  /// Returns the order of a valid shape. Only zb-v reads the times.
  Order (*expand)(const PipelineShape &shape, const PipelineTimes &times);

  /// Returns the default number of chunks per device.
  int defaultChunks() const;
};

/// Returns all named schedules.
std::span<const Schedule> listSchedules();

/// Returns null if there is no schedule of this name.
const Schedule *findSchedule(std::string_view name);

/// Returns `gpipe, 1f1b, …`.
std::string listScheduleNames();

} // namespace pcc::order
