// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values through which no gradient flows, as torch's `detach` and JAX's `stop_gradient` make them.
// A graph.clamp without limits, which changes no element, carries the attribute:
//
//   %d = graph.clamp %x {high = 0x7FF0000000000000 : f64, low = …, graph.stop_gradient}
//
// No pattern of graph ops looks through a clamp, so the attribute lasts until differentiation,
// which removes these ops from the training step.
#pragma once

#include "dialects/graph/Graph.h"
#include <limits>

namespace pcc::graph {

inline constexpr llvm::StringLiteral stopGradientAttrName = "graph.stop_gradient";

/// Returns `value` as a value through which no gradient flows.
inline ClampOp stopGradient(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) {
  double infinity = std::numeric_limits<double>::infinity();
  auto op = ClampOp::create(builder, loc, value.getType(), value, llvm::APFloat(-infinity),
                            llvm::APFloat(infinity));
  op->setAttr(stopGradientAttrName, builder.getUnitAttr());
  return op;
}

} // namespace pcc::graph
