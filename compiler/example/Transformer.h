// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the transformers. Activations are [batch, sequence, width]; inside of attention
// they are [batch, heads, sequence, width of a head].
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

/// Adds attention and a feed-forward layer of four times the width. Each has a layer norm before it
/// and a residual connection. Gelu has its tanh form in causal models, its exact form in others.
mlir::Value addBlock(Network &net, const llvm::Twine &name, mlir::Value x,
                     const TransformerSizes &sizes, bool isCausal);

} // namespace pcc::example
