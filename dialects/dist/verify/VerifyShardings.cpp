// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks shardings of tensors. Verifies reshard, to_local and to_global by rules C1 to C6 of
// docs/spec/dist.md, and folds reshard and to_local.
#include "dialects/dist/Checks.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

LogicalResult pcc::dist::checkSharding(function_ref<InFlightDiagnostic()> emitError,
                                       const Sharding &sharding, RankedTensorType global,
                                       const Mesh &mesh) {
  if (!global.hasStaticShape())
    return emitError() << "expected a tensor of static shape under a sharding, got " << global;
  if (std::string error = sharding.verify(global.getShape(), mesh); !error.empty()) // C1 to C4
    return emitError() << error;
  Type element = global.getElementType();
  if (sharding.isPartial() && (element.isInteger(1) || !element.isIntOrFloat())) // C5
    return emitError() << "expected a tensor of numbers under the partial sharding \""
                       << sharding.str() << "\", got " << global;
  return success();
}

static LogicalResult verifyLegal(Operation *op, const Sharding &sharding, RankedTensorType global) {
  return checkSharding([&] { return op->emitOpError(); }, sharding, global, getMesh(op));
}

LogicalResult ReshardOp::verify() {
  RankedTensorType type = cast<RankedTensorType>(getType());
  if (failed(verifyLegal(*this, getFrom().getSharding(), type)))
    return failure();
  return verifyLegal(*this, getTo().getSharding(), type);
}

OpFoldResult ReshardOp::fold(FoldAdaptor) {
  return getFrom() == getTo() ? getInput() : OpFoldResult();
}

/// Verifies that `local` is the type of one rank's block of `global`.
static LogicalResult verifyBlock(Operation *op, const Sharding &sharding, Type global, Type local) {
  auto globalType = cast<RankedTensorType>(global);
  if (failed(verifyLegal(op, sharding, globalType)))
    return failure();
  RankedTensorType expected =
      globalType.clone(sharding.getLocalShape(globalType.getShape(), getMesh(op)));
  if (local != expected) // C6
    return op->emitOpError() << "expected blocks of type " << expected << ", got " << local;
  return success();
}

LogicalResult ToLocalOp::verify() {
  return verifyBlock(*this, getSharding().getSharding(), getInput().getType(), getType());
}

LogicalResult ToGlobalOp::verify() {
  return verifyBlock(*this, getSharding().getSharding(), getType(), getInput().getType());
}

OpFoldResult ToLocalOp::fold(FoldAdaptor) {
  auto global = getInput().getDefiningOp<ToGlobalOp>();
  if (global && global.getSharding() == getSharding())
    return global.getInput();
  return {};
}
