// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order made as time goes on: whenever a device is free it takes, by a rule, one of the pieces
// of work that are ready, or waits. Backwards are split; weight gradients fill the time in which
// nothing else can be done, and come when there is no memory for a forward without them.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

/// What a device takes first of what is ready.
struct Preference {
  bool backwards = true;    ///< before forwards
  bool lastBackward = true; ///< that of the last chunk
  bool lastForward = true;
};

/// What a device prefers. Every rule gives an order that runs and stays below the cap.
struct ListRule {
  Preference early;
  Preference late; ///< for the last `hurry` microbatches per device
  double hurry = 0;
  /// While fewer than this share of the cap are live, forwards come first anyway.
  double rush = 0;
  /// The share of the cap that may be between a forward and its input gradients: what is left of it
  /// is kept for weight gradients that wait for a gap.
  double inFlight = 1;
  /// How far a chunk may be ahead of the next one of the same device: microbatches for each two
  /// stages between the two.
  double lead = 2;
  /// How much of the time of weight gradients may delay what comes next, rather than waiting for
  /// it.
  double patience = 0.5;
};

/// No device has more than `cap` chunks of microbatches live. Empty if the cap is smaller than the
/// chunks of a device.
Order listSchedule(const PipelineShape &shape, const PipelineTimes &times, int64_t cap,
                   const ListRule &rule);

} // namespace pcc::order
