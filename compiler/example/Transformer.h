// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the common parts of transformers. Some have the blocks of LLaMA with other feed-forward
// layers. Activations are [batch, sequence, width]; inside of attention they are
// [batch, heads, sequence, width of a head].
#pragma once

#include "compiler/example/Example.h"
#include "compiler/example/Network.h"

namespace pcc::example {

struct TransformerSizes {
  int64_t batch, sequence, width, heads;

  explicit TransformerSizes(const Sizes &sizes)
      : batch(sizes.at("batch")), sequence(sizes.at("sequence")), width(sizes.at("width")),
        heads(sizes.at("heads")) {}
  int64_t getHeadWidth() const { return width / heads; }
};

/// Returns an error for sizes that a transformer does not support; empty if there is none. The
/// width of a head must be a whole even number, for rotary embeddings.
std::string checkTransformer(const Sizes &sizes);

/// Splits [batch, sequence, width] into heads: [batch, `heads`, sequence, width of a head]. `heads`
/// may be the number of heads of keys and values, which several heads of queries share.
mlir::Value toHeads(Network &net, mlir::Value x, const TransformerSizes &sizes, int64_t heads);
/// Returns softmax(query keyᵀ / √(width of a head)) value, computed for each head, as [batch,
/// sequence, width].
mlir::Value attend(Network &net, mlir::Value query, mlir::Value key, mlir::Value value,
                   const TransformerSizes &sizes, bool isCausal);

/// Returns an error for sizes that LLaMA does not support; empty if there is none.
std::string checkLlama(const Sizes &sizes);

/// Adds a gated feed-forward layer with `hidden` units to [batch, sequence, width].
mlir::Value addSwiGlu(Network &net, mlir::Value x, int64_t hidden);

/// Returns the size `feed_forward`; by default twice the width.
int64_t getHidden(const Sizes &sizes);

/// Adds the feed-forward layer of a block to its normalized input [batch, sequence, width].
using AddFeedForward = llvm::function_ref<mlir::Value(Network &net, mlir::Value x)>;

/// Builds LLaMA with these feed-forward layers.
mlir::OwningOpRef<mlir::ModuleOp> buildBlocks(const Sizes &sizes, mlir::FloatType type,
                                              AddFeedForward addFeedForward);

/// Returns an error for sizes that Mixtral does not support; empty if there is none.
std::string checkMixtral(const Sizes &sizes);

/// Returns an upper bound of the elements of each tensor of Mixtral.
double boundMixtral(const Sizes &sizes);

} // namespace pcc::example
