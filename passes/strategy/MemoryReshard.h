// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the reference system redistributes a tensor, and what it counts for it. On common ground
// (DeviceLayout.h) it looks at the dimensions whose axes differ, again and again: first it splits
// what is to be cut by an axis that cuts nothing, then moves an axis from one dimension to another,
// and when neither is left gathers what is not to be cut.
//
//   of n local elements before the first step    computation         forward    backward
//   split                                        n
//   gather a dimension cut in d                  2n + 2nd, or 2n     nd/2       n/2
//                                                for the first one
//   move an axis of d                            gather and split    nd/2       n/2
//   a reshape, before or after                   2n
//
// Later steps count as many elements as the first: the reference system does not look again.
#pragma once

#include "passes/strategy/DeviceLayout.h"

namespace pcc::strategy {

/// Bytes that one device works on, sends forwards, and sends backwards.
struct ReshardVolume {
  double computation = 0, forward = 0, backward = 0;
};

/// Of the same elements in two layouts; of reshapes, the shapes may differ.
ReshardVolume measureReshard(const DeviceLayout &from, const DeviceLayout &to,
                             int64_t elementBytes);

} // namespace pcc::strategy
