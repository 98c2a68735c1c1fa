// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disables vectorization of loops whose induction variable reaches an address through a division.
//
// LLVM 22 miscompiles such loops. Scalar evolution reads `i mod 4` as an induction variable of two
// bits. The vectorizer takes `b[i mod 4]` for consecutive elements once it has checked that those
// two bits do not wrap. SCEVWrapPredicate::implies drops this check if the loop has the same check
// for a wider type (fixed in LLVM by pull request 191498). The wider type comes from another mask:
//
//   b[i mod 4] + c[i mod 16]                 2 bits, 4 bits
//   x[(i div 4) * 8 + (i mod 4) * 2]         62 bits: LLVM folds this to 2 * i, masked
//
// The vectorizer's own limit of such checks (-vectorize-scev-check-threshold) does not help: it
// does not count the checks that the cost model adds. Sums and products of induction variables need
// no check. Kernels therefore have a loop for each dimension wherever sizes allow it
// (MapLoops.cpp). Only the remaining loops lose vectorization.
#include "passes/lower/host/ConvertToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pcc::lower {

namespace {
/// Walks from the indices of addresses back to the induction variables that they depend on.
class AddressWalk {
public:
  /// `isDivided`: there is an operation between `value` and the address that is not linear.
  void visit(Value value, bool isDivided);

  llvm::SetVector<scf::ForOp> divided; ///< loops that must not be vectorized

private:
  void visitArgument(BlockArgument argument, bool isDivided);
  void visitOperation(Operation *op, OpResult result, bool isDivided);

  llvm::DenseSet<Value> seen[2]; ///< by `isDivided`
};
} // namespace

/// Returns true if scalar evolution sees through the operation without a narrower type. A minimum
/// or a maximum either folds to one of its operands or ends the analysis.
static bool isLinear(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp, arith::MaxSIOp,
             arith::MinUIOp, arith::MaxUIOp, arith::SelectOp>(op);
}

void AddressWalk::visit(Value value, bool isDivided) {
  if (!seen[isDivided].insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    visitArgument(argument, isDivided);
  else
    visitOperation(value.getDefiningOp(), cast<OpResult>(value), isDivided);
}

void AddressWalk::visitArgument(BlockArgument argument, bool isDivided) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return; // an argument of the function
  if (isDivided)
    divided.insert(loop);
  if (argument == loop.getInductionVar()) {
    visit(loop.getLowerBound(), isDivided);
    return visit(loop.getStep(), isDivided);
  }
  unsigned carried = argument.getArgNumber() - loop.getNumInductionVars();
  visit(loop.getInitArgs()[carried], isDivided);
  visit(loop.getYieldedValues()[carried], isDivided);
}

void AddressWalk::visitOperation(Operation *op, OpResult result, bool isDivided) {
  if (isa<LLVM::LoadOp>(op))
    return; // its own address is walked
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        visit(region.back().getTerminator()->getOperand(result.getResultNumber()), isDivided);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      visit(loop.getInitArgs()[result.getResultNumber()], isDivided);
    return;
  }
  bool isSelect = isa<arith::SelectOp>(op);
  for (Value operand : op->getOperands().drop_front(isSelect ? 1 : 0))
    visit(operand, isDivided || !isLinear(op));
}

void disableUnsafeVectorization(Operation *kernels) {
  AddressWalk walk;
  kernels->walk([&](LLVM::GEPOp address) {
    for (Value index : address.getDynamicIndices())
      walk.visit(index, /*isDivided=*/false);
  });
  MLIRContext *context = kernels->getContext();
  auto disabled =
      LLVM::LoopVectorizeAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(context, {}, disabled, {}, {}, {}, {}, {}, {}, {},
                                                  {}, {}, {}, {}, {}, {});
  for (scf::ForOp loop : walk.divided)
    loop->setAttr("loop_annotation", annotation);
}

} // namespace pcc::lower
