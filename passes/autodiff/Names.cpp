// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps the location of the origin in a name. Repeated names are numbered backward from the last
// op, which needs one pass.
#include "passes/autodiff/Names.h"

#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::autodiff {

static Location derive(StringRef name, StringRef suffix, Location from) {
  auto derived = StringAttr::get(from.getContext(), name + "." + suffix);
  return NameLoc::get(derived, from);
}

Location derivedLocation(Operation *op, StringRef suffix) {
  return derive(analysis::getName(op), suffix, op->getLoc());
}

Location derivedLocation(Value value, StringRef suffix) {
  if (Operation *op = value.getDefiningOp())
    return derivedLocation(op, suffix);
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  graph::RoleAttr role = function ? graph::getArgRole(function, argument.getArgNumber()) : nullptr;
  return derive(role ? graph::getName(role) : "argument", suffix, value.getLoc());
}

void makeNamesUnique(Operation *first) {
  llvm::StringMap<unsigned> seen;
  Block *block = first->getBlock();
  for (Operation &op : llvm::reverse(llvm::make_range(first->getIterator(), block->end()))) {
    auto loc = dyn_cast<NameLoc>(op.getLoc());
    if (!loc)
      continue;
    unsigned earlier = seen[loc.getName().getValue()]++;
    if (earlier > 0)
      op.setLoc(derive(loc.getName().getValue(), std::to_string(earlier), loc.getChildLoc()));
  }
}

} // namespace pcc::autodiff
