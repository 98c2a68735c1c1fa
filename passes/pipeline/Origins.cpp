// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the origins of operands, op by op in program order. An op of parameters and data is placed.
// An annotated op is placed too, unless its readers recompute it and it is cheap. Readers of a
// placed op inherit its bit.
#include "passes/pipeline/Origins.h"

#include "dialects/graph/Roles.h"
#include "passes/analysis/cost/Cost.h"

using namespace mlir;

namespace pcc::pipeline {

unsigned Origins::of(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return of(op);
  auto argument = cast<BlockArgument>(value);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
  if (role && role.getKind() == graph::RoleKind::Parameter)
    return Parameters;
  return isa<FloatType>(getElementTypeOrSelf(value.getType())) ? FloatInputs : IntegerInputs;
}

/// Returns whether `op` may run on several virtual stages: it costs less than a matmul or a
/// collective.
static bool isCheap(Operation *op) {
  analysis::OpClass opClass = analysis::classOf(op);
  return opClass != analysis::OpClass::Contraction && opClass != analysis::OpClass::Communication;
}

Origins::Origins(func::FuncOp function, function_ref<bool(Operation *)> isAnnotated) {
  for (Operation &op : function.getBody().front().without_terminator()) {
    unsigned origin = Constants;
    for (Value operand : op.getOperands())
      origin |= of(operand);
    origins[&op] = origin;
    bool readsParameters = origin & Parameters, readsData = origin & (FloatInputs | IntegerInputs);
    bool isKept = isAnnotated(&op) && !(isRecomputedByReaders(&op) && isCheap(&op));
    if ((readsParameters && readsData) || isKept)
      origins[&op] = Placed;
  }
}

} // namespace pcc::pipeline
