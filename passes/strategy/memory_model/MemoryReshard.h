// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the bytes of a redistribution as the reference system performs it. After a common
// refinement of both layouts (DeviceLayout.h) the algorithm iterates over the dimensions whose axes
// differ. First it splits dimensions by axes that currently cut nothing, and moves axes from one
// dimension to another. When neither is possible, it gathers the dimensions that must not be cut.
//
//   of n local elements before the first step    computation         forward    backward
//   split                                        n
//   gather a dimension cut in d                  2n + 2nd, or 2n     nd/2       n/2
//                                                for the first dimension
//   move an axis of d                            gather and split    nd/2       n/2
//   a reshape, before or after                   2n
//
// Later steps count the same number of elements as the first step, as in the reference system.
#pragma once

#include "passes/strategy/constraints/DeviceLayout.h"

namespace pcc::strategy {

/// Bytes that one device processes, sends in the forward pass, and sends in the backward pass.
struct ReshardVolume {
  double computation = 0, forward = 0, backward = 0;
};

/// Returns the volume between two layouts of the same elements; the shapes differ for a reshape.
ReshardVolume measureReshard(const DeviceLayout &from, const DeviceLayout &to,
                             int64_t elementBytes);

} // namespace pcc::strategy
