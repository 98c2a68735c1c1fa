// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds models whose blocks are those of LLaMA but for their feed-forward layers.
#pragma once

#include "compiler/example/Transformer.h"

namespace pcc::example {

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

} // namespace pcc::example
