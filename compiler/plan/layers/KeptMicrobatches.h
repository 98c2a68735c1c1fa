// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of live microbatches, before their sections are known.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::plan {

/// Returns how many times a virtual stage keeps what the forward pass of a microbatch keeps for a
/// backward pass that is not split. If it is split, the products of weights read about half of
/// these values later, and gradients of about as many bytes besides. Values of each kind have
/// memory of their own.
inline double countKept(const order::LiveCounts &live) {
  return double(live.forInput + live.forWeight + live.delayed) / 2;
}

} // namespace pcc::plan
