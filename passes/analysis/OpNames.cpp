// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/OpNames.h"

using namespace mlir;

namespace pcc::analysis {

static void collectNames(Location loc, SmallVectorImpl<NameLoc> &names) {
  if (auto named = dyn_cast<NameLoc>(loc))
    names.push_back(named);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location piece : fused.getLocations())
      collectNames(piece, names);
}

StringRef getName(Location loc) {
  SmallVector<NameLoc> names;
  collectNames(loc, names);
  return names.empty() ? "" : names.front().getName().getValue();
}

StringRef getName(Operation *op) {
  StringRef name = getName(op->getLoc());
  return name.empty() ? op->getName().stripDialect() : name;
}

SmallVector<StringRef> getNames(Operation *op) {
  SmallVector<NameLoc> names;
  collectNames(op->getLoc(), names);
  SmallVector<StringRef> texts;
  for (NameLoc name : names)
    texts.push_back(name.getName().getValue());
  if (texts.empty())
    texts.push_back(op->getName().stripDialect());
  return texts;
}

std::optional<StringRef> getDerivedFrom(Operation *op) {
  SmallVector<NameLoc> names;
  collectNames(op->getLoc(), names);
  if (names.empty())
    return std::nullopt;
  StringRef origin = getName(names.front().getChildLoc());
  if (origin.empty() || !names.front().getName().getValue().starts_with((origin + ".").str()))
    return std::nullopt;
  return origin;
}

UsedNames::UsedNames(ModuleOp module) {
  module.walk([&](Operation *op) { ++uses[getName(op)]; });
}

void UsedNames::makeUnique(Operation *op) {
  StringRef name = getName(op);
  if (uses[name] == 1 && !getName(op->getLoc()).empty())
    return;
  std::string unique;
  for (unsigned &number = numbers[name]; unique.empty() || uses.contains(unique); ++number)
    unique = (name + "_" + Twine(number)).str();
  ++uses[unique];
  op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), unique), op->getLoc()));
}

std::string findSourceLocation(Location loc) {
  std::string place;
  loc->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position)
      return WalkResult::advance();
    place = (position.getFilename().getValue() + ":" + Twine(position.getLine())).str();
    return WalkResult::interrupt();
  });
  return place;
}

void forEachNumbered(func::FuncOp function,
                     function_ref<void(Operation *, StringRef, unsigned)> visit) {
  llvm::StringMap<unsigned> counts;
  if (!function.isDeclaration())
    for (Operation &op : function.getBody().front())
      visit(&op, getName(&op), counts[getName(&op)]++);
}

std::string makeExactName(StringRef function, StringRef name, unsigned number) {
  return (function + ":" + name + "#" + Twine(number)).str();
}

} // namespace pcc::analysis
