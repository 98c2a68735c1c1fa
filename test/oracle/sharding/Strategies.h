// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The legal strategies of an op: every assignment of mesh axes to the factors of its rule.
//
//   matmul ([i,k],[k,j]) -> ([i,j]) on x=2, y=2, sizes 4, 6, 4
//     nothing; i: x; i: y; j: x; …; i: x.y; i: y.x; i: x, k: y; …
//     not k: x.y, as 4 does not divide 6
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/Operation.h"
#include <random>

namespace pcc::test {

/// Axes of each factor, slowest first.
using Strategy = std::vector<dist::AxisList>;

/// Lists all strategies; axes may be unused.
std::vector<Strategy> listStrategies(mlir::Operation *op, const dist::Mesh &mesh);

/// Picks a random strategy.
Strategy pickStrategy(mlir::Operation *op, const dist::Mesh &mesh, std::mt19937_64 &random);

/// Returns a text like `i: x.y, k: z`, with the names of the factor rule.
std::string strategyText(const Strategy &strategy);

} // namespace pcc::test
