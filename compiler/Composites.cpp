// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Composites.h"

#include "compiler/Compile.h"
#include "passes/analysis/OpNames.h"
#include "passes/graph/MissedAttention.h"

using namespace mlir;
using namespace pcc;

/// Composites that passes raise from core ops, in the order of reports.
static constexpr llvm::StringLiteral kinds[] = {
    "attention", "rotary_embedding", "layer_norm",           "rms_norm", "gelu",
    "silu",      "log_softmax",      "softmax_cross_entropy"};

FailureOr<Composites> pcc::findComposites(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  addPhase(passes, CompilePhase::Graph, CompileOptions());
  if (failed(passes.run(*copy)))
    return failure();
  llvm::StringMap<int64_t> numbers;
  copy->walk([&](Operation *op) {
    if (isa_and_present<graph::GraphDialect>(op->getDialect()))
      ++numbers[op->getName().stripDialect()];
  });
  Composites composites;
  for (StringRef kind : kinds)
    if (int64_t number = numbers.lookup(kind))
      composites.counts.push_back({kind, number});
  for (graph::MissedAttention &missed : graph::findMissedAttentions(*copy))
    composites.unraised.push_back({analysis::getName(missed.softmax).str(),
                                   analysis::findSourceLocation(missed.softmax.getLoc()),
                                   std::move(missed.reason)});
  return composites;
}
