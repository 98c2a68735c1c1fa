// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CollectAnnotations: turns `pipe.stage`, `pipe.virtual_stage` and `pipe.recompute` on the ops of a
// model into entries of `pipe.constraints` that name the ops. Annotations on ops would be lost when
// ops are simplified or raised, while a raised op has the names of all ops that it replaces.
// Ops of one name with the same annotations share an entry; others get names of their own.
// Assumes a model before any other pass; leaves no such annotation on it.
#include "dialects/pipe/Constraints.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

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
    findShared(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      for (Operation &op : function.getOps())
        if (DictionaryAttr constraint = takeAnnotations(&op, names))
          constraints.push_back(constraint);
    if (!constraints.empty())
      module->setAttr(pipe::constraintsAttrName, ArrayAttr::get(&getContext(), constraints));
  }

  using Annotations = std::tuple<Attribute, Attribute, Attribute>;
  static Annotations getAnnotations(Operation *op) {
    return {op->getAttr(pipe::stageAttrName), op->getAttr(pipe::virtualStageAttrName),
            op->getAttr(pipe::recomputeAttrName)};
  }

  /// Finds the names whose ops all have the same annotations, as those of an imported node.
  void findShared(ModuleOp module) {
    llvm::StringMap<Annotations> seen;
    llvm::StringSet<> differ;
    module.walk([&](Operation *op) {
      StringRef name = analysis::getName(op->getLoc());
      auto [entry, isNew] = seen.try_emplace(name, getAnnotations(op));
      if (!isNew && entry->second != getAnnotations(op))
        differ.insert(name);
    });
    for (const auto &entry : seen)
      if (!entry.first().empty() && !differ.contains(entry.first()))
        shared.insert(entry.first());
  }

  /// Returns null for an op without annotations, and for all but the first op of a shared name.
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
    bool isShared = shared.contains(analysis::getName(op));
    if (isShared && !taken.insert(analysis::getName(op)).second)
      return {};
    if (!isShared)
      names.makeUnique(op);
    entry.set("op_name", StringAttr::get(&getContext(), analysis::getName(op)));
    entry.set("marked", UnitAttr::get(&getContext()));
    if (std::string place = analysis::findSourceLocation(op->getLoc()); !place.empty())
      entry.set("place", StringAttr::get(&getContext(), place));
    return entry.getDictionary(&getContext());
  }

  llvm::StringSet<> shared, taken; ///< names; `taken`: of constraints
};

} // namespace
} // namespace pcc::pipeline
