// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/layers/RepeatedLayers.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <numeric>

using namespace mlir;

namespace pcc::plan {

std::string describeWork(const ChainLayer &layer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Operation *op : layer.ops) {
    os << op->getName() << op->getOperandTypes() << op->getResultTypes();
    if (!op->hasTrait<OpTrait::ConstantLike>())
      os << op->getAttrDictionary().getAsOpaquePointer();
    os << ";";
  }
  return text;
}

RepeatedLayers::RepeatedLayers(ArrayRef<ChainLayer> chain)
    : chain(chain), passages(chain.size()), kept(chain.size()), times(chain.size(), 1) {
  std::iota(kept.begin(), kept.end(), size_t(0));
  llvm::StringMap<std::vector<size_t>> like;
  for (auto [number, layer] : llvm::enumerate(chain))
    if (passages[number] = findPassage(number); passages[number].from)
      like[describeWork(layer)].push_back(number);
  for (const auto &entry : like) {
    ArrayRef<size_t> all = entry.second;
    if (all.size() < 4)
      continue;
    for (size_t layer : all.drop_front(2).drop_back()) {
      kept[layer] = all[1];
      ++times[all[1]];
    }
  }
}

RepeatedLayers::Passage RepeatedLayers::findPassage(size_t number) const {
  if (number == 0)
    return {};
  const ChainLayer &layer = chain[number];
  ArrayRef<Value> before = chain[number - 1].crossing, behind = layer.crossing;
  auto without = [](ArrayRef<Value> values, ArrayRef<Value> others) {
    return llvm::filter_to_vector(values, [&](Value v) { return !llvm::is_contained(others, v); });
  };
  SmallVector<Value> taken = without(before, behind), made = without(behind, before);
  if (taken.size() != 1 || made.size() != 1 || taken[0].getType() != made[0].getType())
    return {};
  llvm::SmallPtrSet<Operation *, 16> own(layer.ops.begin(), layer.ops.end());
  for (Operation *op : layer.ops)
    for (Operation *user : op->getUsers())
      if (!own.contains(user) && made[0].getDefiningOp() != op)
        return {};
  return {taken[0], made[0]};
}

void RepeatedLayers::fold(const IRMapping &clone) const {
  for (size_t layer = chain.size(); layer-- > 0;) {
    if (kept[layer] == layer)
      continue;
    clone.lookup(passages[layer].to).replaceAllUsesWith(clone.lookup(passages[layer].from));
    for (Operation *op : llvm::reverse(chain[layer].ops))
      clone.lookup(op)->erase();
  }
}

} // namespace pcc::plan
