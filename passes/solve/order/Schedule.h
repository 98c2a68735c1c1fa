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

//===-- VeeSchedules.cpp ----------------------------------------------------------------------===//

// Schedules of a vee: ZB-V and DualPipeV. Chunk 0 goes down the devices and chunk 1 comes back. So
// the first device has the first and the last stage, and all devices need the same memory.
//
// A schedule is a list of phases: a pattern of actions and their number. `F0` is the next forward
// of chunk 0, `B1` the next input gradients of chunk 1, and `W` the oldest pending weight
// gradients. `A1` is the next backward of chunk 1 with its weight gradients. `F0+A1` runs both at
// the same time. Below, p is the number of devices, r that of a device from 0 on, and m the number
// of microbatches. F, B and W are the times of a forward, of input and of weight gradients.

struct Phase {
  std::string_view pattern; ///< repeated until there are enough actions
  int64_t numActions = 0;
};

/// ZB-V. If F = B = W, no device idles between its first and last action, with the memory of 1F1B.
/// From Qi et al., "Zero bubble pipeline parallelism", ICLR 2024, section 6; the phases are our
/// own. The result has no weight gradients; Schedule.cpp inserts them. Call with m >= 2p; expand()
/// cuts shorter pipelines from it. In the figure, digits are forwards, letters are input gradients,
/// capitals are inserted weight gradients. Each stands twice for a device: in chunk 0 and 1.
///
///   p = 2, m = 4     0120aA1bB3aA2cCbB3dcDdCD
///                     0011aA2aA2bB3bB3ccddCCDD
std::vector<Phase> zeroBubbleVee(const PipelineShape &shape, int device);

/// DualPipeV. Forwards and backwards of the two chunks overlap (DeepSeek-AI, "DualPipe", 2025, in
/// the form with half of the devices). Call with m >= 2p; expand() cuts shorter pipelines from it.
///
///   phases of device r                                actions
///   F0                                                2 (p − r − 1)
///   F0 F1                                             2 (r + 1)
///   B1 W F1                                           3 (p − r − 1)
///   F0+A1 F1+A0                                       2 (m − 2p + r + 1); on the last device,
///                                                     the first F0 and A1 do not overlap
///   A1 F1+A0                                          2 (p − r − 1)
///   A1 A0, in the second half only input gradients    2 (r + 1)
///   W B0                                              2 (p − r − 1)
///   W                                                 r + 1
std::vector<Phase> dualPipeVee(const PipelineShape &shape, int device);

/// Returns the order of all devices. Calls `phasesOf` with at least 2p microbatches, and omits
/// actions on microbatches that `shape` does not have.
Order expand(const PipelineShape &shape,
             std::vector<Phase> (*phasesOf)(const PipelineShape &, int device));

} // namespace pcc::order
