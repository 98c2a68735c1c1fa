// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/OpNames.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::facts {

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

} // namespace pcc::facts
