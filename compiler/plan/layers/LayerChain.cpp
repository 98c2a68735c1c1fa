// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the values that cross each position of the chain, and cuts where few cross. The permitted
// count rises until there are enough layers. Ops that every reader may compute for itself are not
// in the chain; they join the first layer that reads them.
#include "compiler/plan/layers/LayerChain.h"

#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/Origins.h"
#include <set>

using namespace mlir;

namespace pcc::plan {
namespace {

class ChainFinder {
public:
  explicit ChainFinder(func::FuncOp function) : function(function), origins(function) {
    for (Operation &op : function.getBody().front().without_terminator())
      if (!origins.isRecomputedByReaders(&op)) {
        places[&op] = chain.size();
        chain.push_back(&op);
      }
    countCrossing();
  }

  std::vector<ChainLayer> find(size_t wanted) {
    std::set<int> counts(crossing.begin(), crossing.end());
    if (!chain.empty())
      counts.insert(0);
    for (int most : counts)
      if (cutWhere(most) >= 2 * wanted)
        break;
    addSideWork();
    return std::move(layers);
  }

private:
  /// Returns the position of the last reader of `value`; -1 if no op reads it.
  int findLastReader(Value value) const {
    int last = -1;
    for (Operation *user : value.getUsers())
      if (auto place = places.find(user); place != places.end())
        last = std::max(last, place->second);
    return last;
  }

  void countCrossing() {
    crossing.assign(chain.empty() ? 0 : chain.size() - 1, 0);
    for (auto [place, op] : llvm::enumerate(chain))
      for (Value value : op->getResults())
        for (int cut = int(place), last = findLastReader(value); cut < last; ++cut)
          ++crossing[cut];
  }

  /// Cuts after each op behind which at most `most` values cross. Returns the number of layers.
  size_t cutWhere(int most) {
    layers.clear();
    for (auto [place, op] : llvm::enumerate(chain)) {
      if (place == 0 || crossing[place - 1] <= most)
        layers.push_back({analysis::getName(op).str(), {}, {}});
      layers.back().ops.push_back(op);
      layerOf[op] = layers.size() - 1;
    }
    for (Operation *op : chain)
      for (Value value : op->getResults())
        if (int last = findLastReader(value); last >= 0)
          for (size_t layer = layerOf[op]; layer < layerOf[chain[last]]; ++layer)
            layers[layer].crossing.push_back(value);
    return layers.size();
  }

  void addSideWork() {
    for (Operation &op : llvm::reverse(function.getBody().front().without_terminator())) {
      if (places.contains(&op))
        continue;
      std::optional<size_t> first;
      for (Operation *user : op.getUsers())
        if (auto known = layerOf.find(user); known != layerOf.end())
          first = std::min(first.value_or(known->second), known->second);
      if (!first)
        continue;
      layerOf[&op] = *first;
      layers[*first].ops.insert(layers[*first].ops.begin(), &op);
    }
  }

  func::FuncOp function;
  pipeline::Origins origins;
  std::vector<Operation *> chain;
  llvm::DenseMap<Operation *, int> places; ///< position in the chain
  std::vector<int> crossing;               ///< values that cross the cut after each op
  std::vector<ChainLayer> layers;
  llvm::DenseMap<Operation *, size_t> layerOf;
};

} // namespace

std::vector<ChainLayer> findLayers(func::FuncOp function, size_t wanted) {
  return ChainFinder(function).find(wanted);
}

} // namespace pcc::plan
