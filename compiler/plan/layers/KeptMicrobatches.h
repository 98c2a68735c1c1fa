// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of live microbatches, before their sections are known.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::plan {

/// Returns the memory of a virtual stage for live microbatches, in units of what one microbatch
/// needs if its backward pass is not split. If it is split, the products of weights read about half
/// of these values later, and gradients of about as many bytes. Values of each kind have memory of
/// their own.
inline double countKept(const order::LiveCounts &live) {
  return double(live.forInput + live.forWeight + live.delayed) / 2;
}

} // namespace pcc::plan
