// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows sums over the samples through linear ops, and quotients of two sums through ops with
// operands that all parts share. Divisions wait until the kinds of all other values are known.
#include "passes/analysis/batch/BatchPropagation.h"

#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/batch/Sources.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::analysis {

/// Returns whether `op` adds up the samples along a reduced factor, perhaps to a mean.
bool addsSamples(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getCrossBatch() || reduce.getKind() == ReduceOpKind::Sum ||
           reduce.getKind() == ReduceOpKind::Mean;
  return isa<SoftmaxCrossEntropyOp, NllOp, MseOp, SigmoidCrossEntropyOp>(op);
}

/// Returns whether `op`, which adds samples, does not take their mean.
bool isPlainSum(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return !reduce.getCrossBatch() && reduce.getKind() == ReduceOpKind::Sum;
  auto reduction = op->getAttrOfType<LossReductionAttr>("reduction");
  return reduction && reduction.getValue() == LossReduction::Sum;
}

LogicalResult BatchPropagation::addSum(Operation *op, Value value) {
  if (found.rows.contains(value))
    return refuse(op, "it combines a sum over the batch with single samples");
  if (found.sums.insert(value).second)
    worklist.push_back(value);
  return success();
}

LogicalResult BatchPropagation::addQuotient(Value value) {
  if (found.quotients.insert(value))
    worklist.push_back(value);
  return success();
}

bool roundsToIntegers(Operation *op) {
  if (!isa<CastOp, DivOp>(op))
    return false;
  auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
  auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getOperand(0)));
  bool widens = isa<CastOp>(op) && to && from && to.getWidth() >= from.getWidth();
  return to && !widens;
}

/// Follows a sum over the samples through linear ops to the results of the function.
LogicalResult BatchPropagation::visitSum(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (isa<func::ReturnOp>(op))
      continue;
    if (isa<DivOp>(op)) {
      divisions.insert(op);
      continue;
    }
    auto isSum = [&](Value operand) { return found.sums.contains(operand); };
    bool isLinear =
        isa<AddOp, SubOp, NegOp, CastOp, ReshapeOp, BroadcastOp, pipe::TransferOp>(op) ||
        (isa<MulOp>(op) && llvm::count_if(op->getOperands(), isSum) == 1) ||
        (isa<ReduceOp>(op) && addsSamples(op));
    if (!isLinear || roundsToIntegers(op))
      return refuse(op, "it computes with a sum or mean over the batch");
    for (Value result : op->getResults())
      if (failed(addSum(op, result)))
        return failure();
  }
  return success();
}

/// Returns whether a parameter is among the sources of `value`.
static bool dependsOnParameter(func::FuncOp function, Value value) {
  return llvm::any_of(findSources(value), [&](BlockArgument argument) {
    RoleAttr role = getArgRole(function, argument.getArgNumber());
    return role && role.getKind() == RoleKind::Parameter;
  });
}

/// Visits the first division of or by a sum in the block, of which no other one computes an
/// operand, after all values of other ops are known.
LogicalResult BatchPropagation::visitFirstDivision() {
  Operation *op = *llvm::min_element(
      divisions, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  divisions.remove(op);
  Value dividend = op->getOperand(0), divisor = op->getOperand(1), result = op->getResult(0);
  if (roundsToIntegers(op))
    return refuse(op, "it computes with a sum or mean over the batch");
  if (!found.sums.contains(divisor))
    return addSum(op, result);
  if (!found.sums.contains(dividend) || dependsOnParameter(function, divisor))
    return refuse(op, "it computes with a sum or mean over the batch");
  found.divisions.insert(op);
  return addQuotient(result);
}

/// Follows a quotient of sums to the results of the function.
LogicalResult BatchPropagation::visitQuotient(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (isa<func::ReturnOp>(op)) {
      RoleAttr role = getResultRole(function, use.getOperandNumber());
      if (typeOf(value).getRank() != 0 || (role && role.getKind() == RoleKind::Parameter))
        return refuse(op, "it returns a quotient of sums over the batch that is no loss");
    } else if (!roundsToIntegers(op) &&
               (isa<AddOp, SubOp, MulOp, NegOp, CastOp, ReshapeOp, pipe::TransferOp>(op) ||
                (isa<DivOp>(op) && use.getOperandNumber() == 0))) {
      if (failed(addQuotient(op->getResult(0))))
        return failure();
    } else {
      return refuse(op, "it computes with a quotient of sums over the batch");
    }
  }
  return success();
}

/// Checks that the op of a quotient, unless it divides two sums, has one operand that is a quotient
/// and others that all parts share.
LogicalResult BatchPropagation::checkQuotient(Value value) {
  Operation *op = value.getDefiningOp();
  auto isShared = [&](Value operand) {
    return found.getKind(operand) == BatchDependence::Kind::Fixed;
  };
  int64_t shared = llvm::count_if(op->getOperands(), isShared);
  if (found.divisions.contains(op) ||
      (!found.sums.contains(value) && shared + 1 == int64_t(op->getNumOperands())))
    return success();
  return refuse(op, "it computes with a quotient of sums over the batch");
}

} // namespace pcc::analysis
