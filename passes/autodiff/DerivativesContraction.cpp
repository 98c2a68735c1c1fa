// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of contractions: each is again a contraction.
#include "passes/autodiff/Derivatives.h"
#include "passes/autodiff/Signature.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// Calls the op that follows NAME.grad_weight if its value is the gradient of a parameter, possibly
/// seen through a change of shape or type, else NAME.grad.
static void nameAfterOperand(Backward &b, unsigned index) {
  Value value = b.operand(index);
  while (isa_and_present<ReshapeOp, TransposeOp, BroadcastOp, CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  b.named(isParameter(value) ? "grad_weight" : "grad");
}

/// With A, B the operands as the product sees them and G the gradient of A B: dA = G B^T and
/// dB = A^T G. An operand stored transposed wants its gradient transposed as well; all of it is
/// said by flags of the product, never by a transpose:
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
    b.give(0, lhsStored ? b.make<MatmulOp>(rhs, gradient, rhsStored, true)
                        : b.make<MatmulOp>(gradient, rhs, false, !rhsStored));
  }
  if (b.wants(1)) {
    nameAfterOperand(b, 1);
    b.give(1, rhsStored ? b.make<MatmulOp>(gradient, lhs, true, lhsStored)
                        : b.make<MatmulOp>(lhs, gradient, !lhsStored, false));
  }
}

void addContractionDerivatives(DerivativeTable &table) {
  table.rule<MatmulOp>(differentiateMatmul);
}

} // namespace pcc::autodiff
