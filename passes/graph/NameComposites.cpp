// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NameComposites: names ops that replace several nodes after the innermost module that contains
// these nodes, so that constraints, plans and reports speak of `h.3.attn/attention`. Assumes that
// raising has fused the locations of the nodes. Leaves ops of models without such names alone.
#include "dialects/graph/Graph.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHNAMECOMPOSITES
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

namespace {
struct NameComposites : pcc::graph::impl::GraphNameCompositesBase<NameComposites> {
  void runOnOperation() override {
    llvm::StringMap<unsigned> counts;
    getOperation()->walk([&](Operation *op) {
      std::optional<std::string> module = pcc::analysis::findCommonModule(op->getLoc());
      if (!module)
        return;
      std::string name =
          *module + (module->empty() ? "" : "/") + op->getName().stripDialect().str();
      if (unsigned number = counts[name]++)
        name += "_" + std::to_string(number);
      // Diagnostics show the first node.
      Location first = cast<FusedLoc>(op->getLoc()).getLocations().front();
      Location own = NameLoc::get(StringAttr::get(&getContext(), name), first);
      op->setLoc(FusedLoc::get(&getContext(), {own, op->getLoc()}));
    });
  }
};
} // namespace
