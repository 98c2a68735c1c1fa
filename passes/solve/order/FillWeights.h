// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where weight gradients go in an order that has none yet: into the time in which a device waits
// anyway, before a forward for which there is no memory, and what is left at the end.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

/// `order` has forwards and input gradients. No more than `cap` chunks of microbatches are live on
/// a device, unless forwards alone are more. Nothing if the order cannot run.
Order fillWeights(const PipelineShape &shape, const Order &order, const PipelineTimes &times,
                  int64_t cap);

} // namespace pcc::order
