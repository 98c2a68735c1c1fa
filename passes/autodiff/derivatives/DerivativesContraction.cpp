// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of matmul and einsum. The gradient of an operand is an op of the same kind. For an
// einsum, a broadcast may follow.
#include "dialects/graph/EinsumEquation.h"
#include "passes/autodiff/Signature.h"
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

void nameAfterOperand(Backward &b, unsigned index) {
  Value value = b.operand(index);
  while (isa_and_present<ReshapeOp, TransposeOp, BroadcastOp, CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  b.named(isParameter(value) ? "grad_weight" : "grad");
}

/// Let A B be the multiplication, and G the gradient of its result. Then dA = G B^T and
/// dB = A^T G. If a flag transposes an operand, the operand is A^T or B^T, and its gradient is
/// transposed as well. Flags of the new matmuls express this without transpose ops:
///
///   lhs   rhs   gradient of lhs   gradient of rhs
///   A     B     G rhs^T           lhs^T G
///   A     B^T   G rhs             G^T lhs
///   A^T   B     rhs G^T           lhs G
///   A^T   B^T   rhs^T G^T         G^T lhs^T
static void differentiateMatmul(Backward &b) {
  auto op = b.op<MatmulOp>();
  Value lhs = op.getLhs(), rhs = op.getRhs(), gradient = b.gradient();
  bool isLhsTransposed = op.getTransposeLhs(), isRhsTransposed = op.getTransposeRhs();
  if (b.wants(0)) {
    nameAfterOperand(b, 0);
    b.setGradient(0, isLhsTransposed ? b.make<MatmulOp>(rhs, gradient, isRhsTransposed, true)
                                     : b.make<MatmulOp>(gradient, rhs, false, !isRhsTransposed));
  }
  if (b.wants(1)) {
    nameAfterOperand(b, 1);
    b.setGradient(1, isRhsTransposed ? b.make<MatmulOp>(gradient, lhs, true, isLhsTransposed)
                                     : b.make<MatmulOp>(lhs, gradient, !isLhsTransposed, false));
  }
}

/// Returns the gradient of the operand with the letters `own` and the shape `shape`: an einsum of
/// the result's gradient and the other operand. The forward op sums over a letter that only `own`
/// has. All elements along it have one gradient, which is broadcast.
static Value einsumGradient(Backward &b, StringRef own, StringRef other, Value otherOperand,
                            ArrayRef<int64_t> shape) {
  StringRef result = EinsumEquation::parse(b.op<EinsumOp>().getEquation())->result;
  std::string kept;
  SmallVector<int64_t> alone;
  for (auto [dim, letter] : llvm::enumerate(own)) {
    if (result.contains(letter) || other.contains(letter))
      kept += letter;
    else
      alone.push_back(dim);
  }
  std::string equation = (result + "," + other + "->" + kept).str();
  Value gradient = b.make<EinsumOp>(b.gradient(), otherOperand, equation);
  return alone.empty() ? gradient : b.unreduce(gradient, alone, shape);
}

static void differentiateEinsum(Backward &b) {
  auto op = b.op<EinsumOp>();
  auto equation = *EinsumEquation::parse(op.getEquation());
  if (b.wants(0)) {
    nameAfterOperand(b, 0);
    b.setGradient(0,
                  einsumGradient(b, equation.lhs, equation.rhs, op.getRhs(), shapeOf(op.getLhs())));
  }
  if (b.wants(1)) {
    nameAfterOperand(b, 1);
    b.setGradient(1,
                  einsumGradient(b, equation.rhs, equation.lhs, op.getLhs(), shapeOf(op.getRhs())));
  }
}

void addContractionDerivatives(DerivativeTable &table) {
  table.rule<EinsumOp>(differentiateEinsum);
  table.rule<MatmulOp>(differentiateMatmul);
}

} // namespace pcc::autodiff
