// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of precisions, ordered by kind.
#include "passes/graph/Precision.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::graph {

static constexpr PrecisionRow precisions[] = {
    {"matmul", Precision::Half, "contractions are the bulk of the work, and add in f32"},
    {"einsum", Precision::Half, "contractions are the bulk of the work, and add in f32"},
    {"conv2d", Precision::Half, "contractions are the bulk of the work, and add in f32"},
    {"attention", Precision::Half, "contractions are the bulk of the work; its softmax is in f32"},
    {"softmax_cross_entropy", Precision::Single, "a loss adds many small terms"},
    {"nll", Precision::Single, "a loss adds many small terms"},
    {"mse", Precision::Single, "a loss adds many small terms"},
    {"sigmoid_cross_entropy", Precision::Single, "a loss adds many small terms"},
    {"layer_norm", Precision::Single, "a norm divides by small differences"},
    {"rms_norm", Precision::Single, "a norm divides by small differences"},
    {"softmax", Precision::Single, "exponentials exceed the half type's range"},
    {"log_softmax", Precision::Single, "exponentials exceed the half type's range"},
    {"exp", Precision::Single, "exponentials exceed the half type's range"},
    {"softplus", Precision::Single, "exponentials exceed the half type's range"},
    {"pow", Precision::Single, "powers exceed the half type's range"},
    {"log", Precision::Single, "logarithms need the digits of values near 1"},
    {"log1p", Precision::Single, "logarithms need the digits of values near 1"},
    {"reciprocal", Precision::Single, "reciprocals exceed the half type's range"},
    {"rsqrt", Precision::Single, "reciprocals exceed the half type's range"},
    {"cumsum", Precision::Single, "sums lose small terms"},
    {"reduce", Precision::Single, "sums lose small terms (max and min follow their operand)"},
    {"batch_norm", Precision::Follows, "statistics are in f32, the result has the input's type"},
    {"batch_norm_inference", Precision::Follows,
     "computes in f32, the result has the input's type"},
};

ArrayRef<PrecisionRow> listPrecisions() { return precisions; }

Precision getPrecision(Operation *op) {
  if (!isa_and_present<GraphDialect>(op->getDialect()))
    return Precision::Single;
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && llvm::is_contained({ReduceOpKind::Max, ReduceOpKind::Min}, reduce.getKind()))
    return Precision::Follows;
  StringRef name = op->getName().stripDialect();
  const auto *row =
      llvm::find_if(precisions, [&](const PrecisionRow &known) { return known.op == name; });
  return row == std::end(precisions) ? Precision::Follows : row->precision;
}

} // namespace pcc::graph
