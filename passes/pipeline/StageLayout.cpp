// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/pipeline/StageLayout.h"

#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

namespace pcc::pipeline {

/// Adds one item to the last part; returns an error message, empty if there is none.
static std::string addItem(StageLayout &layout, StringRef item) {
  int part = layout.parts - 1;
  if (item == "E") {
    if (layout.partOfHead >= 0 || !layout.partOfLayer.empty() || layout.partOfTail >= 0)
      return "expected \"E\" once, before all layers";
    layout.partOfHead = part;
    return "";
  }
  if (layout.partOfTail >= 0)
    return "expected nothing behind \"L\", got \"" + item.str() + "\"";
  if (item == "L") {
    layout.partOfTail = part;
    return "";
  }
  auto [kind, number] = item.split('*');
  int count = 1;
  bool isCount = !item.contains('*') || (!number.getAsInteger(10, count) && count > 0);
  if (kind != "t" || !isCount)
    return "expected \"E\", \"t\", \"t*2\" or \"L\", got \"" + item.str() + "\"";
  layout.partOfLayer.insert(layout.partOfLayer.end(), count, part);
  return "";
}

StageLayout StageLayout::parse(StringRef text) {
  StageLayout layout;
  llvm::SmallVector<StringRef> parts, items;
  text.split(parts, '|');
  for (StringRef part : parts) {
    ++layout.parts;
    items.clear();
    part.split(items, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (items.empty())
      layout.error = "expected something in each part";
    for (StringRef item : items)
      if (layout.error.empty())
        layout.error = addItem(layout, item);
  }
  return layout;
}

} // namespace pcc::pipeline
