// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads names from nested locations. A node with a name by modules and an op derived from an op
// with a plain name location look alike: both are a name around a name around a position in a file.
// Therefore getNames() also asks getDerivedFrom(), by which the name of a derived op begins with
// the name of its origin and a dot.
#include "passes/analysis/names/OpNames.h"

#include "passes/analysis/names/FileNodes.h"
#include "llvm/ADT/StringExtras.h"

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

/// Returns the name that `name` directly encloses, if that name directly encloses a position in a
/// file; null otherwise. This is the node under a name by modules, or a derived op's origin whose
/// location is not fused.
static NameLoc findNode(NameLoc name) {
  auto node = dyn_cast<NameLoc>(name.getChildLoc());
  return node && isa<FileLineColLoc>(node.getChildLoc()) ? node : NameLoc();
}

SmallVector<StringRef> getNames(Operation *op) {
  SmallVector<NameLoc> names;
  collectNames(op->getLoc(), names);
  SmallVector<StringRef> texts;
  for (NameLoc name : names) {
    texts.push_back(name.getName().getValue());
    if (NameLoc node = findNode(name); node && !getDerivedFrom(op))
      texts.push_back(node.getName().getValue());
  }
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

std::optional<std::string> findCommonModule(Location loc) {
  SmallVector<NameLoc> names;
  collectNames(loc, names);
  if (names.size() < 2 || !llvm::all_of(names, findNode))
    return std::nullopt;
  auto moduleOf = [](NameLoc name) {
    StringRef text = name.getName().getValue();
    return text.contains('/') ? text.rsplit('/').first : StringRef();
  };
  SmallVector<StringRef> common;
  moduleOf(names.front()).split(common, '.', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (NameLoc name : ArrayRef(names).drop_front()) {
    SmallVector<StringRef> path;
    moduleOf(name).split(path, '.', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    auto [end, _] = std::mismatch(common.begin(), common.end(), path.begin(), path.end());
    common.truncate(end - common.begin());
  }
  return llvm::join(common, ".");
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

/// Returns the line of the user's program that an imported node comes from; null if it is unknown.
static FileLineColLoc findLineOfNode(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto tag = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  if (!tag || tag.getValue() != nodeLocationTag || fused.getLocations().size() < 2)
    return {};
  return dyn_cast<FileLineColLoc>(fused.getLocations()[1]);
}

std::string findSourceLocation(Location loc) {
  std::string place;
  loc->walk([&](Location inner) {
    FileLineColLoc position = findLineOfNode(inner);
    if (!position)
      position = dyn_cast<FileLineColLoc>(inner);
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
