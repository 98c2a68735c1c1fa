// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds stages by the attribute `pipe.stage` of nested modules and sorts them. Checks that no
// number is missing or repeated.
#include "dialects/pipe/Stages.h"

using namespace mlir;

std::optional<int64_t> pcc::pipe::getStage(ModuleOp module) {
  if (auto stage = module->getAttrOfType<IntegerAttr>(stageAttrName))
    return stage.getInt();
  return std::nullopt;
}

FailureOr<SmallVector<ModuleOp>> pcc::pipe::listPrograms(ModuleOp module) {
  SmallVector<ModuleOp> stages;
  for (auto inner : module.getOps<ModuleOp>())
    if (getStage(inner))
      stages.push_back(inner);
  if (stages.empty())
    return SmallVector<ModuleOp>{module};
  llvm::stable_sort(stages, [](ModuleOp a, ModuleOp b) { return *getStage(a) < *getStage(b); });
  for (auto [number, stage] : llvm::enumerate(stages))
    if (*getStage(stage) != int64_t(number))
      return stage.emitError("expected stages numbered 0 to ")
             << stages.size() - 1 << ", each once, got \"" << stageAttrName << " = "
             << *getStage(stage) << "\"";
  return stages;
}
