// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CollectAnnotations: turns `pipe.stage`, `pipe.virtual_stage` and `pipe.recompute` on the ops of a
// model into entries of `pipe.constraints` that name the ops. Annotations on ops would be lost when
// ops are simplified or raised, while a raised op has the names of all ops that it replaces.
// Assumes a model before any other pass; leaves no such annotation on it.
#include "dialects/pipe/Constraints.h"
#include "passes/analysis/OpNames.h"
#include "passes/pipeline/Passes.h"

using namespace mlir;

namespace pcc::pipeline {

#define GEN_PASS_DEF_COLLECTANNOTATIONS
#include "passes/pipeline/Passes.h.inc"

namespace {

struct CollectAnnotations : impl::CollectAnnotationsBase<CollectAnnotations> {
  using CollectAnnotationsBase::CollectAnnotationsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    analysis::UsedNames names(module);
    SmallVector<Attribute> constraints;
    if (auto given = module->getAttrOfType<ArrayAttr>(pipe::constraintsAttrName))
      constraints.assign(given.begin(), given.end());
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      for (Operation &op : function.getOps())
        if (DictionaryAttr constraint = takeAnnotations(&op, names))
          constraints.push_back(constraint);
    if (!constraints.empty())
      module->setAttr(pipe::constraintsAttrName, ArrayAttr::get(&getContext(), constraints));
  }

  /// Returns null for an op without annotations.
  DictionaryAttr takeAnnotations(Operation *op, analysis::UsedNames &names) {
    NamedAttrList entry;
    if (Attribute stage = op->removeAttr(pipe::stageAttrName))
      entry.set("stage", stage);
    if (Attribute chunk = op->removeAttr(pipe::virtualStageAttrName))
      entry.set("chunk", chunk);
    if (op->removeAttr(pipe::recomputeAttrName))
      entry.set("recompute", UnitAttr::get(&getContext()));
    if (entry.empty())
      return {};
    names.makeUnique(op);
    entry.set("op_name", StringAttr::get(&getContext(), analysis::getName(op)));
    entry.set("marked", UnitAttr::get(&getContext()));
    if (std::string place = analysis::findSourceLocation(op->getLoc()); !place.empty())
      entry.set("place", StringAttr::get(&getContext(), place));
    return entry.getDictionary(&getContext());
  }
};

} // namespace
} // namespace pcc::pipeline
