// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/derivatives/Derivatives.h"

namespace pcc::autodiff {

void addConstantDerivatives(DerivativeTable &table) {
  using namespace graph;
  table.zero<FloorOp, CeilOp, RoundOp, SignOp>("constant between its jumps");
  table.zero<CompareOp, AndOp, OrOp, NotOp>("a truth value or bits");
  table.zero<OneHotOp>("made of indices");
  table.zero<ConstantOp, IotaOp, RngUniformOp>("independent of every parameter");
  table.none<SgdOp, MomentumOp, AdamOp, AdamWeightDecayOp, LambOp, AdagradOp>(
      "an optimizer step is not part of a model");
}

const DerivativeTable &getDerivativeTable() {
  static const DerivativeTable table = [] {
    DerivativeTable filled;
    addArithmeticDerivatives(filled);
    addFunctionDerivatives(filled);
    addActivationDerivatives(filled);
    addShapeDerivatives(filled);
    addIndexingDerivatives(filled);
    addContractionDerivatives(filled);
    addWindowDerivatives(filled);
    addAttentionDerivatives(filled);
    addNormalizationDerivatives(filled);
    addReduceDerivatives(filled);
    addAlongAxisDerivatives(filled);
    addLossDerivatives(filled);
    addCollectiveDerivatives(filled);
    addExchangeDerivatives(filled);
    addConstantDerivatives(filled);
    return filled;
  }();
  return table;
}

} // namespace pcc::autodiff
