// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ApplyStageConstraints: puts the stages of `pipe.constraints` onto the ops that it names. Assumes
// a model whose ops last from here on: simplified, with its loss. Leaves `pipe.stage`, or
// `pipe.virtual_stage` if a constraint or layout gives virtual stages; constants have neither.
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
    if (!constraint.isAnnotation && failed(checkNumber(constraint)))
      return failure();
    SmallVector<Operation *> matched;
    for (const auto &[name, ops] : opsByName)
      if (constraint.subject.pattern.matches(name))
        llvm::copy_if(ops, std::back_inserter(matched),
                      [&](Operation *op) { return constraint.matches(op); });
    if (matched.empty() && !constraint.isAnnotation)
      return constraint.subject.refuseUnmatched(module);
    StringRef key = constraint.virtualStage ? pipe::virtualStageAttrName : pipe::stageAttrName;
    for (Operation *op : matched)
      if (failed(give(op, key,
                      constraint.virtualStage ? *constraint.virtualStage : *constraint.stage,
                      constraint)))
        return failure();
    return success();
  }

private:
  /// Checks the number of a constraint. The number of an annotation is checked at its op, where it
  /// was written.
  LogicalResult checkNumber(const StageConstraint &constraint) {
    int64_t number = constraint.virtualStage ? *constraint.virtualStage : *constraint.stage;
    int64_t count = constraint.virtualStage ? stages * virtualStages : stages;
    if (number >= 0 && number < count)
      return success();
    return module.emitError() << constraint.describe() << " requires "
                              << (constraint.virtualStage ? "chunk " : "stage ") << number
                              << "; expected 0 to " << count - 1;
  }

  LogicalResult give(Operation *op, StringRef key, int64_t number,
                     const StageConstraint &constraint) {
    if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
      return success();
    auto [known, isNew] = givers.try_emplace(op, &constraint);
    Attribute mark = Builder(op).getI64IntegerAttr(number);
    if (!isNew && op->getAttr(key) != mark)
      return op->emitError() << "\"" << analysis::getName(op) << "\" is given two stages, by "
                             << known->second->describe() << " and by " << constraint.describe();
    op->setAttr(key, mark);
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
      int part = !layer.empty()  ? layout.findPart(int64_t(layers.lookup(layer)))
                 : index < first ? layout.partOfHead
                 : index > last  ? layout.partOfTail
                                 : -1;
      if (part >= 0 && failed(give(op, key, part, constraint)))
        return failure();
    }
    return true;
  }

  ModuleOp module;
  int64_t stages, virtualStages;
  llvm::MapVector<StringRef, SmallVector<Operation *, 2>> opsByName;
  llvm::DenseMap<Operation *, const StageConstraint *> givers;
};

struct ApplyStageConstraints : impl::ApplyStageConstraintsBase<ApplyStageConstraints> {
  using ApplyStageConstraintsBase::ApplyStageConstraintsBase;

  void runOnOperation() override {
    FailureOr<std::vector<StageConstraint>> constraints = readStageConstraints(getOperation());
    if (failed(constraints))
      return signalPassFailure();
    StageAnnotator annotator(getOperation(), stages, virtualStages);
    for (const StageConstraint &constraint : *constraints)
      if (failed(annotator.apply(constraint)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace pcc::pipeline
