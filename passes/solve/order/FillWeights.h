// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Insertion of weight gradients into an order without them. They go into idle times of a device,
// before a forward that lacks memory, and at the end.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

/// Inserts weight gradients into `order`, which has forwards and input gradients. At most `cap`
/// microbatches, counted per virtual stage, are live on a device, unless forwards alone need more.
/// Returns an empty order if `order` cannot run.
Order fillWeights(const PipelineShape &shape, const Order &order, const PipelineTimes &times,
                  int64_t cap);

} // namespace pcc::order
