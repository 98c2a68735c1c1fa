// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints factor rules, for tests and for users who ask why an op may be split as it is.
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/graph/Passes.h"

using namespace mlir;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHPRINTFACTORRULES
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Shapes of operands or results; a value that is no ranked tensor has none.
static SmallVector<ArrayRef<int64_t>> shapesOf(TypeRange types) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    shapes.push_back(tensor ? tensor.getShape() : ArrayRef<int64_t>());
  }
  return shapes;
}

namespace {
struct PrintFactorRules : public pcc::graph::impl::GraphPrintFactorRulesBase<PrintFactorRules> {
  void runOnOperation() override {
    getOperation()->walk([&](pcc::FactorRuleOpInterface op) {
      pcc::FactorRule rule = op.getFactorRule();
      std::string wrong =
          rule.verify(shapesOf(op->getOperandTypes()), shapesOf(op->getResultTypes()));
      if (wrong.empty()) {
        op->emitRemark() << rule.str();
        return;
      }
      op->emitOpError() << "has the factor rule " << rule.str() << ", but " << wrong;
      signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
