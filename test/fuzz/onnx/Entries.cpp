// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Entries.h"

#include "llvm/ADT/STLExtras.h"

namespace pcc::fuzz {

const std::vector<Entry> &allEntries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for (auto family : {elementwiseEntries, binaryEntries, constantEntries, shapeEntries,
                        pieceEntries, indexEntries, orderEntries, reductionEntries, productEntries,
                        windowEntries, normalEntries, attentionEntries})
      llvm::append_range(all, family());
    return all;
  }();
  return entries;
}

/// Draws an opset, mostly one that files use: 7 or later.
static int64_t drawOpset(uint64_t seed) {
  constexpr int64_t firstUsual = 7;
  Random random(~seed);
  return random.chance(4) ? random.between(import::oldestOpset, firstUsual - 1)
                          : random.between(firstUsual, import::newestOpset);
}

Graph makeGraph(uint64_t seed, mlir::MLIRContext &context, std::string &error) {
  Maker maker(seed, drawOpset(seed), context);
  llvm::SmallVector<const Entry *> entries;
  for (const Entry &entry : allEntries())
    if (maker.opset() <= entry.lastOpset && import::findOperator(entry.name, maker.opset()))
      entries.push_back(&entry);
  int64_t wanted = maker.random.between(2, 12);
  for (int64_t made = 0, attempts = 0; made < wanted && attempts < 10 * wanted; ++attempts) {
    const Entry &entry = *maker.random.of(llvm::ArrayRef(entries));
    maker.begin(entry.name);
    if (maker.types().empty())
      continue;
    made += entry.draw(maker);
    error = maker.error();
    if (!error.empty())
      return std::move(maker.graph);
  }
  maker.finish();
  return std::move(maker.graph);
}

} // namespace pcc::fuzz
