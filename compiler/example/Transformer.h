// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the transformers have in common. Activations are [batch * sequence, width] everywhere but
// inside of attention, where they are [batch, heads, sequence, width of a head].
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

/// What is wrong with the sizes of a transformer; empty if nothing is.
std::string checkTransformer(const Sizes &sizes);

/// Rows to heads: [batch, `heads`, sequence, width of a head].
mlir::Value toHeads(Network &net, mlir::Value x, const TransformerSizes &sizes, int64_t heads);
/// softmax(query keyᵀ / √width) value of heads, as rows.
mlir::Value attend(Network &net, mlir::Value query, mlir::Value key, mlir::Value value,
                   const TransformerSizes &sizes, bool isCausal);

/// x + attention, then + a feed-forward layer of four times the width, each behind a layer norm.
mlir::Value addBlock(Network &net, const llvm::Twine &name, mlir::Value x,
                     const TransformerSizes &sizes, bool isCausal);

} // namespace pcc::example
