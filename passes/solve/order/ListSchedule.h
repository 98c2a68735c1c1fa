// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// List scheduling of a pipeline: a free device takes one of its ready actions by a rule, or waits.
// Backwards are split. Weight gradients fill times without another ready action, and run when a
// forward lacks memory.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

/// Order of preference among the ready actions of a device.
struct Preference {
  bool backwards = true;    ///< prefer backwards to forwards
  bool lastBackward = true; ///< prefer the last chunk
  bool lastForward = true;
};

/// The preferences of a device. Every rule gives an order that runs and respects the cap.
struct ListRule {
  Preference early;
  Preference late; ///< for the last `hurry` microbatches per device
  double hurry = 0;
  /// Forwards are preferred while fewer than this fraction of the cap are live.
  double rush = 0;
  /// Maximum fraction of the cap between a forward and its input gradients. The rest is reserved
  /// for weight gradients that wait for a gap.
  double inFlight = 1;
  /// Maximum lead of a chunk over the next chunk of the same device, in microbatches per two stages
  /// between the two chunks.
  double lead = 2;
  /// Fraction of a weight gradient's time that may delay the next action.
  double patience = 0.5;
};

/// Returns an order with at most `cap` live microbatches per device, counted per virtual stage.
/// Empty if the cap is smaller than the number of chunks of a device.
Order listSchedule(const PipelineShape &shape, const PipelineTimes &times, int64_t cap,
                   const ListRule &rule);

} // namespace pcc::order
