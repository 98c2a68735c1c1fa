// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPT whose step times were published, as the measured system computed it. Dropout follows
// attention's softmax and both halves of every block. Attention is either a chain of kernels
// (scores, softmax, dropout, mean of values) or one kernel.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::conformance {

struct GptShape {
  int64_t layers, width, heads, sequence, vocabulary;
  int64_t batch; ///< global batch: all ranks and microbatches
  double dropout = 0;
  bool hasFusedAttention = false;
  bool hasOwnHead = false; ///< the head's weights are not the embedding's
};

/// Builds the model. Op names are `/h.0/attn/q/matmul`, …; names of ops between queries and context
/// begin with `/h.0/attn/core/`.
mlir::OwningOpRef<mlir::ModuleOp> buildGpt(const GptShape &shape, mlir::MLIRContext &context);

} // namespace pcc::conformance
