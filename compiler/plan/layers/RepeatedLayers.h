// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeated layers of a model. They cost the same, so a copy of the model that keeps a few of them
// shows the costs of all. The first and the last one are kept besides the one that stands for the
// others, because their neighbors differ, and the first one may pass no gradient on.
//
//   layers   embed attn ffn attn ffn attn ffn attn ffn attn ffn head
//   kept     embed attn ffn attn ffn                   attn ffn head
//   times        1    1   1    3   3                      1   1    1
#pragma once

#include "compiler/plan/layers/LayerChain.h"
#include "mlir/IR/IRMapping.h"

namespace pcc::plan {

/// Returns a text that is equal for layers that do the same work: their ops, attributes and types,
/// in order. Which op reads which is not compared, nor are the values of constants.
std::string describeWork(const ChainLayer &layer);

class RepeatedLayers {
public:
  explicit RepeatedLayers(llvm::ArrayRef<ChainLayer> chain);

  /// Returns the layer that stands for a layer; itself if it is kept.
  size_t getKept(size_t layer) const { return kept[layer]; }
  /// Returns the number of layers for which a kept layer stands, itself included.
  int64_t getTimes(size_t layer) const { return times[layer]; }
  /// Erases the other layers from a clone of the model. Readers of their results read their operand
  /// instead.
  void fold(const mlir::IRMapping &clone) const;

private:
  /// The value that a layer takes from the layers before it, and the value of the same type by
  /// which it replaces it; null for a layer that cannot be left out.
  struct Passage {
    mlir::Value from, to;
  };
  Passage findPassage(size_t layer) const;

  llvm::ArrayRef<ChainLayer> chain;
  std::vector<Passage> passages; ///< by layer
  std::vector<size_t> kept;
  std::vector<int64_t> times;
};

} // namespace pcc::plan
