// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/Signature.h"

using namespace mlir;

namespace pcc::autodiff {

graph::RoleAttr argumentRole(func::FuncOp function, unsigned index) {
  return function.getArgAttrOfType<graph::RoleAttr>(index, roleName);
}

graph::RoleAttr resultRole(func::FuncOp function, unsigned index) {
  return function.getResultAttrOfType<graph::RoleAttr>(index, roleName);
}

SmallVector<unsigned> argumentsOfKind(func::FuncOp function, graph::RoleKind kind) {
  SmallVector<unsigned> found;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (graph::RoleAttr role = argumentRole(function, index); role && role.getKind() == kind)
      found.push_back(index);
  return found;
}

SmallVector<unsigned> resultsOfKind(func::FuncOp function, graph::RoleKind kind) {
  SmallVector<unsigned> found;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (graph::RoleAttr role = resultRole(function, index); role && role.getKind() == kind)
      found.push_back(index);
  return found;
}

StringRef nameOf(graph::RoleAttr role) {
  return role.getName() ? role.getName().getValue() : StringRef();
}

DictionaryAttr roleAttributes(MLIRContext *context, graph::RoleKind kind, StringRef name) {
  StringAttr label = name.empty() ? StringAttr() : StringAttr::get(context, name);
  NamedAttribute role(StringAttr::get(context, roleName),
                      graph::RoleAttr::get(context, kind, label));
  return DictionaryAttr::get(context, role);
}

bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return false;
  graph::RoleAttr role = argumentRole(function, argument.getArgNumber());
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
  return function;
}

func::ReturnOp getReturn(func::FuncOp function) {
  return cast<func::ReturnOp>(function.getBody().front().getTerminator());
}

RankedTensorType accumulatedType(Type type) {
  return cast<RankedTensorType>(type).clone(Float32Type::get(type.getContext()));
}

} // namespace pcc::autodiff
