// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes an option in words.
//
//   [dp, _], [_, tp] -> [dp, tp]                    dp splits i, tp splits j
//   [dp, tp], [tp, _] -> [dp, _] partial(sum: tp)   dp splits i, tp splits k, a sum
//   [_] partial(sum: tp), … -> [_] partial(sum: tp) tp carries sums through operands 0, 1
//   [dp, _]                                         of a tensor: dp cuts dimension 0
#pragma once

#include "passes/strategy/propagate/OpSharding.h"

namespace pcc::strategy {

/// Describes how `op`, which has a factor rule, is split; the letters are those of its rule.
std::string describeSplit(mlir::Operation *op, const OpSharding &opSharding,
                          const dist::Mesh &mesh);

/// Describes the sharding of a tensor.
std::string describeCut(const dist::Sharding &sharding);

} // namespace pcc::strategy
