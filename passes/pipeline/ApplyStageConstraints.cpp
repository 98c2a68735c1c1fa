// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ApplyStageConstraints: puts the stages of `pipe.constraints` onto the ops that it names. Assumes
// a model that is already simplified and has its loss: later passes replace no op. Leaves
// `pipe.stage` and `pipe.virtual_stage`, each where a constraint or layout gives it; constants have
// neither. AssignStages checks that the two agree on an op that has both.
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipeline/StageConstraints.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pcc::pipeline {

#define GEN_PASS_DEF_APPLYSTAGECONSTRAINTS
#include "passes/pipeline/Passes.h.inc"

namespace {

class StageAnnotator {
public:
  StageAnnotator(ModuleOp module, int64_t stages, int64_t virtualStages)
      : module(module), stages(stages), virtualStages(virtualStages) {
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      for (Operation &op : function.getOps())
        for (StringRef name : analysis::getNames(&op))
          opsByName[name].push_back(&op);
  }

  LogicalResult apply(const StageConstraint &constraint) {
    if (constraint.layout)
      return applyLayout(constraint);
    if (!constraint.stage && !constraint.virtualStage)
      return success();
    if (!constraint.isAnnotation && failed(checkNumbers(constraint)))
      return failure();
    SmallVector<Operation *> matched;
    auto add = [&](ArrayRef<Operation *> ops) {
      llvm::copy_if(ops, std::back_inserter(matched),
                    [&](Operation *op) { return constraint.matches(op); });
    };
    if (const analysis::NamePattern &pattern = constraint.subject.pattern; pattern.isLiteral()) {
      add(opsByName.lookup(pattern.getText()));
    } else {
      for (const auto &[name, ops] : opsByName)
        if (pattern.matches(name))
          add(ops);
    }
    if (matched.empty() && !constraint.isAnnotation)
      return constraint.subject.refuseUnmatched(module);
    for (Operation *op : matched)
      if (failed(annotate(op, pipe::stageAttrName, constraint.stage, constraint)) ||
          failed(annotate(op, pipe::virtualStageAttrName, constraint.virtualStage, constraint)))
        return failure();
    return success();
  }

private:
  /// Checks the numbers of a constraint. Those of an annotation are checked at its op, where they
  /// were written.
  LogicalResult checkNumbers(const StageConstraint &constraint) {
    return failure(
        failed(checkNumber(constraint, "stage", constraint.stage, stages)) ||
        failed(checkNumber(constraint, "chunk", constraint.virtualStage, stages * virtualStages)));
  }

  LogicalResult checkNumber(const StageConstraint &constraint, StringRef what,
                            std::optional<int64_t> number, int64_t count) {
    if (!number || (*number >= 0 && *number < count))
      return success();
    return module.emitError() << constraint.describe() << " requires " << what << " " << *number
                              << "; expected 0 to " << count - 1;
  }

  /// Sets the attribute `key` of `op` if there is a number. Another number from an earlier
  /// constraint is an error.
  LogicalResult annotate(Operation *op, StringRef key, std::optional<int64_t> number,
                         const StageConstraint &constraint) {
    if (!number || op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
      return success();
    Attribute annotation = Builder(op).getI64IntegerAttr(*number);
    auto [known, isNew] = setBy.try_emplace({op, key}, &constraint);
    if (!isNew && op->getAttr(key) != annotation)
      return op->emitError() << "\"" << analysis::getName(op) << "\" is given two "
                             << (key == pipe::stageAttrName ? "stages" : "chunks") << ", by "
                             << known->second->describe() << " and by " << constraint.describe();
    op->setAttr(key, annotation);
    return success();
  }

  LogicalResult applyLayout(const StageConstraint &constraint) {
    int64_t parts = constraint.layout->countParts();
    if (parts != stages && parts != stages * virtualStages) {
      InFlightDiagnostic error = module.emitError()
                                 << "layout of " << constraint.describe() << " has " << parts
                                 << " parts; expected " << stages << ", one for each stage";
      if (virtualStages > 1)
        error << ", or " << stages * virtualStages << ", one for each of their chunks";
      return error;
    }
    bool isMatched = false;
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      FailureOr<bool> matched = layOut(function, constraint);
      if (failed(matched))
        return failure();
      isMatched |= *matched;
    }
    if (isMatched)
      return success();
    return constraint.subject.refuseUnmatched(module);
  }

  /// Returns the layer in the name of `op`; empty if the name has none.
  static StringRef findLayer(Operation *op, const StageConstraint &constraint) {
    for (StringRef name : analysis::getNames(op))
      if (StringRef layer = constraint.subject.pattern.find(name); !layer.empty())
        return layer;
    return "";
  }

  /// Lays out one function; returns whether an op of it belongs to a layer.
  FailureOr<bool> layOut(func::FuncOp function, const StageConstraint &constraint) {
    const StageLayout &layout = *constraint.layout;
    llvm::MapVector<StringRef, size_t> layers; ///< by name, in the order of the first ops
    SmallVector<std::pair<Operation *, StringRef>> ops;
    size_t first = 0, last = 0;
    for (Operation &op : function.getOps()) {
      StringRef layer = findLayer(&op, constraint);
      if (!layer.empty()) {
        first = layers.empty() ? ops.size() : first;
        last = ops.size();
        layers.try_emplace(layer, layers.size());
      }
      ops.emplace_back(&op, layer);
    }
    if (layers.empty())
      return false;
    if (int64_t(layers.size()) != layout.countLayers())
      return function.emitError() << "layout of " << constraint.describe() << " lays out "
                                  << layout.countLayers() << " layers; expected " << layers.size();
    StringRef key = virtualStages > 1 && layout.countParts() == stages * virtualStages
                        ? pipe::virtualStageAttrName
                        : pipe::stageAttrName;
    for (auto [index, entry] : llvm::enumerate(ops)) {
      auto [op, layer] = entry;
      // -1: the op lies between layers, or the layout does not place what is before or after them.
      // AssignStages finds its stage.
      int part = !layer.empty()  ? layout.findPart(int64_t(layers.lookup(layer)))
                 : index < first ? layout.partOfHead
                 : index > last  ? layout.partOfTail
                                 : -1;
      if (part >= 0 && failed(annotate(op, key, part, constraint)))
        return failure();
    }
    return true;
  }

  ModuleOp module;
  int64_t stages, virtualStages;
  llvm::MapVector<StringRef, SmallVector<Operation *, 2>> opsByName;
  /// By op and attribute: the first constraint that set it.
  llvm::DenseMap<std::pair<Operation *, StringRef>, const StageConstraint *> setBy;
};

struct ApplyStageConstraints : impl::ApplyStageConstraintsBase<ApplyStageConstraints> {
  using ApplyStageConstraintsBase::ApplyStageConstraintsBase;

  void runOnOperation() override {
    FailureOr<StageConstraints> constraints = StageConstraints::read(getOperation());
    if (failed(constraints))
      return signalPassFailure();
    StageAnnotator annotator(getOperation(), stages, virtualStages);
    for (const StageConstraint &constraint : constraints->getAll())
      if (failed(annotator.apply(constraint)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace pcc::pipeline
