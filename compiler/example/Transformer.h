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

/// Returns an error for sizes that a transformer does not support; empty if there is none.
std::string checkTransformer(const Sizes &sizes);

/// Splits rows into heads: [batch, `heads`, sequence, width of a head].
mlir::Value toHeads(Network &net, mlir::Value x, const TransformerSizes &sizes, int64_t heads);
/// Returns softmax(query keyᵀ / √width) value, computed per head, as rows.
mlir::Value attend(Network &net, mlir::Value query, mlir::Value key, mlir::Value value,
                   const TransformerSizes &sizes, bool isCausal);

/// Adds attention and a feed-forward layer of four times the width. Each has a layer norm before it
/// and a residual connection.
mlir::Value addBlock(Network &net, const llvm::Twine &name, mlir::Value x,
                     const TransformerSizes &sizes, bool isCausal);

} // namespace pcc::example
