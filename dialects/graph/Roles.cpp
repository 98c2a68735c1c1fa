// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores roles as function argument and result attributes, and finds them by a linear search.
#include "dialects/graph/Roles.h"

using namespace mlir;
using namespace pcc::graph;

RoleAttr pcc::graph::makeRole(MLIRContext *context, RoleKind kind, StringRef name) {
  return RoleAttr::get(context, kind, name.empty() ? StringAttr() : StringAttr::get(context, name));
}

StringRef pcc::graph::getName(RoleAttr role) {
  return role && role.getName() ? role.getName().getValue() : "";
}

RoleAttr pcc::graph::getArgRole(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<RoleAttr>(index, roleAttrName);
}

RoleAttr pcc::graph::getResultRole(FunctionOpInterface function, unsigned index) {
  return function.getResultAttrOfType<RoleAttr>(index, roleAttrName);
}

void pcc::graph::setArgRole(FunctionOpInterface function, unsigned index, RoleAttr role) {
  function.setArgAttr(index, roleAttrName, role);
}

void pcc::graph::setResultRole(FunctionOpInterface function, unsigned index, RoleAttr role) {
  function.setResultAttr(index, StringAttr::get(function->getContext(), roleAttrName), role);
}

static bool matches(RoleAttr role, RoleKind kind, StringRef name) {
  if (!role || role.getKind() != kind)
    return false;
  return name.empty() || (role.getName() && role.getName() == name);
}

std::optional<unsigned> pcc::graph::findArg(FunctionOpInterface function, RoleKind kind,
                                            StringRef name) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (matches(getArgRole(function, index), kind, name))
      return index;
  return std::nullopt;
}

std::optional<unsigned> pcc::graph::findResult(FunctionOpInterface function, RoleKind kind,
                                               StringRef name) {
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (matches(getResultRole(function, index), kind, name))
      return index;
  return std::nullopt;
}

SmallVector<unsigned> pcc::graph::findArgs(FunctionOpInterface function, RoleKind kind) {
  SmallVector<unsigned> found;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (matches(getArgRole(function, index), kind, ""))
      found.push_back(index);
  return found;
}

SmallVector<unsigned> pcc::graph::findResults(FunctionOpInterface function, RoleKind kind) {
  SmallVector<unsigned> found;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (matches(getResultRole(function, index), kind, ""))
      found.push_back(index);
  return found;
}
