// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/Names.h"

#include "passes/autodiff/Signature.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::autodiff {

StringRef nameIn(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named)
      return WalkResult::advance();
    name = named.getName().getValue();
    return WalkResult::interrupt();
  });
  return name;
}

StringRef nameOf(Operation *op) {
  StringRef name = nameIn(op->getLoc());
  return name.empty() ? op->getName().stripDialect() : name;
}

static Location derive(StringRef name, StringRef suffix, Location from) {
  auto derived = StringAttr::get(from.getContext(), name + "." + suffix);
  return NameLoc::get(derived, from);
}

Location derivedLocation(Operation *op, StringRef suffix) {
  return derive(nameOf(op), suffix, op->getLoc());
}

Location derivedLocation(Value value, StringRef suffix) {
  if (Operation *op = value.getDefiningOp())
    return derivedLocation(op, suffix);
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  graph::RoleAttr role = function ? graph::getArgRole(function, argument.getArgNumber()) : nullptr;
  return derive(role ? nameOf(role) : "argument", suffix, value.getLoc());
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
