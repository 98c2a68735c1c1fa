// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of contractions: each is again a contraction.
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

/// Let A, B be the operands as the matmul sees them, and G the gradient of A B.
/// Then dA = G B^T and dB = A^T G. An operand stored transposed needs its gradient transposed as
/// well. Flags of the matmul express all of this, without transpose ops:
///
///   stored      dlhs              drhs
///   A   B       G rhs^T           lhs^T G
///   A   B^T     G rhs             G^T lhs
///   A^T B       rhs G^T           lhs G
///   A^T B^T     rhs^T G^T         G^T lhs^T
static void differentiateMatmul(Backward &b) {
  auto op = b.op<MatmulOp>();
  Value lhs = op.getLhs(), rhs = op.getRhs(), gradient = b.gradient();
  bool lhsStored = op.getTransposeLhs(), rhsStored = op.getTransposeRhs();
  if (b.wants(0)) {
    nameAfterOperand(b, 0);
    b.setGradient(0, lhsStored ? b.make<MatmulOp>(rhs, gradient, rhsStored, true)
                               : b.make<MatmulOp>(gradient, rhs, false, !rhsStored));
  }
  if (b.wants(1)) {
    nameAfterOperand(b, 1);
    b.setGradient(1, rhsStored ? b.make<MatmulOp>(gradient, lhs, true, lhsStored)
                               : b.make<MatmulOp>(lhs, gradient, !lhsStored, false));
  }
}

/// Returns the gradient of the operand with letters `own`: the gradient of the result times the
/// other operand. A letter that only `own` has was summed before the matmul, so all its elements
/// have one gradient.
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
