// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompose: replaces composites by core ops. Assumes valid graph IR; leaves none of the named ops.
// Decompositions contain no other composite, so one walk is enough.
#include "dialects/graph/decompose/Decompose.h"

#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSE
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

namespace {

struct Decompose : public pcc::graph::impl::GraphDecomposeBase<Decompose> {
  using GraphDecomposeBase::GraphDecomposeBase;

  /// Returns whether the options name the op. No device has an instruction for attention in f64.
  bool isChosen(Operation *op) {
    StringRef name = op->getName().stripDialect();
    bool isWideAttention = isa<AttentionOp, AttentionGradientOp>(op) &&
                           getElementTypeOrSelf(op->getOperand(0)).isF64();
    bool isKept = llvm::is_contained(keep, name) && !isWideAttention;
    return !isKept && (ops.empty() || llvm::is_contained(ops, name));
  }

  void runOnOperation() override {
    for (const std::string &name : ops)
      if (!findDecomposition("graph." + name)) {
        getOperation()->emitError()
            << "expected ops with a decomposition in 'ops', got '" << name << "'";
        return signalPassFailure();
      }
    getOperation()->walk([&](Operation *op) {
      DecomposeFunction decompose = findDecomposition(op->getName().getStringRef());
      if (!decompose || !isChosen(op))
        return;
      DecompositionBuilder builder(op);
      op->replaceAllUsesWith(decompose(op, builder));
      op->erase();
    });
  }
};

} // namespace
