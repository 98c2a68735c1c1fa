// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/cost/ModelFlops.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/Builders.h"
#include "passes/analysis/ElementTypes.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Matmuls.h"

using namespace mlir;

namespace pcc::analysis {

static constexpr llvm::StringLiteral modelFlopsAttrName = "pcc.model_flops";

/// Returns the flops of an op without what it recomputes: the gradient of an attention computes the
/// scores again, the first of its matmuls.
static double countFlops(Operation *op) {
  SmallVector<MatmulForm, 1> matmuls = listMatmuls(op);
  OpShapes shapes = OpShapes::of(op);
  double flops = 0;
  for (const MatmulForm &matmul : ArrayRef(matmuls).drop_front(isa<graph::AttentionGradientOp>(op)))
    flops += matmul.at(shapes).flops();
  return flops;
}

ModelFlops countModelFlops(ModuleOp module) {
  ModelFlops flops;
  if (!getStep(module))
    return flops;
  bool isOfOneRank = false;
  for (Section &section : collectSections(module))
    section.function.walk([&](Operation *op) {
      isOfOneRank |=
          isa_and_nonnull<dist::DistDialect>(op->getDialect()) && !isa<dist::ReshardOp>(op);
      if (double each = countFlops(op); each > 0 && section.runs > 0)
        flops[toElementType(getElementTypeOrSelf(op->getOperand(0)))] +=
            each * double(section.runs);
    });
  return isOfOneRank ? ModelFlops() : flops;
}

void recordModelFlops(ModuleOp module, const ModelFlops &flops) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries;
  for (auto [type, count] : flops)
    entries.push_back(b.getNamedAttr(abi::ElementType_Name(type), b.getF64FloatAttr(count)));
  module->setDiscardableAttr(modelFlopsAttrName, b.getDictionaryAttr(entries));
}

ModelFlops readModelFlops(ModuleOp module) {
  ModelFlops flops;
  auto entries = module->getAttrOfType<DictionaryAttr>(modelFlopsAttrName);
  for (NamedAttribute entry : entries ? entries : DictionaryAttr::get(module.getContext())) {
    abi::ElementType type;
    if (auto count = dyn_cast<FloatAttr>(entry.getValue());
        count && abi::ElementType_Parse(entry.getName().str(), &type))
      flops[type] = count.getValueAsDouble();
  }
  return flops;
}

} // namespace pcc::analysis
