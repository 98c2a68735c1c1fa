// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompose: replaces composites by core ops. Assumes valid graph IR; leaves none of the named ops.
// Decompositions contain no other composite, so one walk is enough.
#include "passes/graph/decompose/Decompose.h"

#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSE
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

namespace {

/// Calls `decompose` for one class of op.
template <typename Op> Decomposition decomposeAs(Operation *op, DecompositionBuilder &builder) {
  return decompose(cast<Op>(op), builder);
}

/// The decomposition of an op by its name without the dialect's prefix.
struct Entry {
  StringRef name;
  Decomposition (*decompose)(Operation *, DecompositionBuilder &);
};

template <typename Op> Entry entry() {
  return {Op::getOperationName().substr(StringRef("graph.").size()), decomposeAs<Op>};
}

struct Decompose : public pcc::graph::impl::GraphDecomposeBase<Decompose> {
  using GraphDecomposeBase::GraphDecomposeBase;

  /// Selects the requested decompositions; an unknown name is an error.
  LogicalResult select(llvm::StringMap<Entry> &chosen) {
    const Entry table[] = {entry<GeluOp>(),
                           entry<SiluOp>(),
                           entry<SoftplusOp>(),
                           entry<EluOp>(),
                           entry<LeakyReluOp>(),
                           entry<ClampOp>(),
                           entry<SoftmaxOp>(),
                           entry<SoftmaxCrossEntropyOp>(),
                           entry<NllOp>(),
                           entry<MseOp>(),
                           entry<LayerNormOp>(),
                           entry<SigmoidCrossEntropyOp>(),
                           entry<RmsNormOp>(),
                           entry<LogSoftmaxOp>(),
                           entry<BatchNormOp>(),
                           entry<BatchNormInferenceOp>(),
                           entry<DropoutOp>(),
                           entry<EinsumOp>(),
                           entry<TopKOp>(),
                           entry<ArgmaxOp>(),
                           entry<ArgminOp>(),
                           entry<CumsumOp>(),
                           entry<SgdOp>(),
                           entry<MomentumOp>(),
                           entry<AdamOp>(),
                           entry<AdamWeightDecayOp>(),
                           entry<LambOp>(),
                           entry<AdagradOp>(),
                           entry<AttentionOp>(),
                           entry<AttentionGradientOp>(),
                           entry<RotaryEmbeddingOp>()};
    for (const Entry &each : table)
      if (ops.empty() || llvm::is_contained(ops, each.name))
        chosen[each.name] = each;
    for (const std::string &name : ops)
      if (!chosen.contains(name))
        return getOperation()->emitError()
               << "expected ops with a decomposition in 'ops', got '" << name << "'";
    return success();
  }

  /// Returns whether the options keep the op. No device has an instruction for attention in f64.
  bool isKept(Operation *op, StringRef name) {
    bool isWideAttention = isa<AttentionOp, AttentionGradientOp>(op) &&
                           getElementTypeOrSelf(op->getOperand(0)).isF64();
    return llvm::is_contained(keep, name) && !isWideAttention;
  }

  void runOnOperation() override {
    llvm::StringMap<Entry> chosen;
    if (failed(select(chosen)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      auto found = name.consume_front("graph.") ? chosen.find(name) : chosen.end();
      if (found == chosen.end() || isKept(op, name))
        return;
      DecompositionBuilder builder(op);
      op->replaceAllUsesWith(found->second.decompose(op, builder));
      op->erase();
    });
  }
};

} // namespace
