// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and rewrites signatures by their roles. Before a split, types are global; in a function
// annotated as local they are the blocks of one rank, with the sharding on each argument and
// result.
#include "passes/autodiff/Signature.h"

using namespace mlir;

namespace pcc::autodiff {

DictionaryAttr roleAttributes(MLIRContext *context, graph::RoleKind kind, StringRef name,
                              dist::ShardingAttr sharding) {
  NamedAttrList attributes;
  attributes.set(graph::roleAttrName, graph::makeRole(context, kind, name));
  if (sharding)
    attributes.set(dist::shardingAttrName, sharding);
  return attributes.getDictionary(context);
}

Value insertArgument(func::FuncOp function, unsigned position, Type type, graph::RoleKind kind,
                     StringRef name, Location loc) {
  LogicalResult added = function.insertArgument(
      position, type, roleAttributes(function.getContext(), kind, name), loc);
  assert(succeeded(added) && "a position behind an argument is legal");
  (void)added;
  return function.getArgument(position);
}

bool isLocal(func::FuncOp function) { return function->hasAttr(dist::localAttrName); }

dist::ShardingAttr shardingOfArgument(func::FuncOp function, unsigned index) {
  if (!isLocal(function))
    return {};
  return function.getArgAttrOfType<dist::ShardingAttr>(index, dist::shardingAttrName);
}

dist::ShardingAttr boundaryOfResult(func::FuncOp function, unsigned index) {
  if (!isLocal(function))
    return {};
  return function.getResultAttrOfType<dist::ShardingAttr>(index, dist::shardingAttrName);
}

RankedTensorType typeInside(func::FuncOp function, RankedTensorType declared,
                            dist::ShardingAttr boundary) {
  if (!boundary)
    return declared;
  dist::Sharding sharding = boundary.getSharding();
  dist::Mesh mesh = dist::getMesh(function);
  if (!sharding.verify(declared.getShape(), mesh).empty())
    return declared;
  return declared.clone(sharding.getLocalShape(declared.getShape(), mesh));
}

bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return false;
  graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
  return role && role.getKind() == graph::RoleKind::Parameter;
}

func::FuncOp findFunction(ModuleOp module, StringRef name, StringRef cure) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    module.emitError() << "expected a function '" << name << "'; " << cure;
    return {};
  }
  if (!function.getBody().hasOneBlock()) {
    function.emitError() << "expected function '" << name << "' to have one block, got "
                         << function.getBody().getBlocks().size();
    return {};
  }
  if (Operation &last = function.getBody().front().back(); !isa<func::ReturnOp>(last)) {
    last.emitError() << "expected function '" << name << "' to end with a return";
    return {};
  }
  return function;
}

func::ReturnOp getReturn(func::FuncOp function) {
  return cast<func::ReturnOp>(function.getBody().front().getTerminator());
}

void returnLoss(func::FuncOp function, Value loss, dist::ShardingAttr boundary) {
  func::ReturnOp old = getReturn(function);
  MLIRContext *context = function.getContext();
  llvm::BitVector dropped(function.getNumResults(), true);
  SmallVector<Value> values = {loss};
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    graph::RoleAttr role = graph::getResultRole(function, index);
    if (!role || (role.getKind() != graph::RoleKind::Parameter &&
                  role.getKind() != graph::RoleKind::Gradient))
      continue;
    dropped.reset(index);
    values.push_back(old.getOperand(index));
  }
  old->setOperands(values);
  LogicalResult changed = function.eraseResults(dropped);
  if (succeeded(changed))
    changed = function.insertResult(0, loss.getType(),
                                    roleAttributes(context, graph::RoleKind::Loss, "", boundary));
  assert(succeeded(changed) && "positions of results are legal");
  (void)changed;
}

RankedTensorType accumulatedType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(graph::accumulatorOf(tensor.getElementType()));
}

} // namespace pcc::autodiff
