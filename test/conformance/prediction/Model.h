// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPT whose step times were published, as the system that ran it computed it: dropout behind
// attention's softmax and behind every block's two halves, attention either as a chain of kernels
// (scores, softmax, dropout, mean of values) or as one.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::conformance {

struct GptShape {
  int64_t layers, width, heads, sequence, vocabulary;
  int64_t batch; ///< of all ranks and slots
  double dropout = 0;
  bool hasFusedAttention = false;
  bool hasOwnHead = false; ///< whose weights are not the embedding's
};

/// Names of ops are `/h.0/attn/q/matmul`, …; those between queries and context lie in
/// `/h.0/attn/core/`.
mlir::OwningOpRef<mlir::ModuleOp> buildGpt(const GptShape &shape, mlir::MLIRContext &context);

} // namespace pcc::conformance
