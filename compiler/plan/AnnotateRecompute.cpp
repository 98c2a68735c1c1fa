// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects parts of a model (RecomputeParts.h) for recomputation, by constraints on op names,
// because later passes find the ops of one rank by name. Ops that a constraint already names are no
// part of the list. Assumes @forward without a loss. Changes only names, so that the selected ops
// have unique names. Without pipeline stages it also assigns all ops to stage 0.
#include "compiler/plan/Passes.h"
#include "compiler/plan/layers/RecomputeParts.h"
#include "dialects/pipe/Constraints.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/StageConstraints.h"

using namespace mlir;

namespace pcc::plan {

#define GEN_PASS_DEF_PLANANNOTATERECOMPUTE
#include "compiler/plan/Passes.h.inc"

namespace {

struct AnnotateRecompute : impl::PlanAnnotateRecomputeBase<AnnotateRecompute> {
  using PlanAnnotateRecomputeBase::PlanAnnotateRecomputeBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || !forward.getBody().hasOneBlock())
      return;
    FailureOr<abi::Cluster> machine = getAnalysis<analysis::ClusterAnalysis>().get(deviceNum);
    if (failed(machine))
      return signalPassFailure();
    FailureOr<pipeline::StageConstraints> given = pipeline::StageConstraints::read(getOperation());
    if (failed(given))
      return signalPassFailure();
    std::vector<RecomputePart> found = listRecomputeParts(forward, machine->device());
    eraseGiven(found, *given);
    if (listsParts)
      annotateSeconds(found);
    for (int64_t part : parts) {
      if (part >= 0 && part < int64_t(found.size()))
        continue;
      getOperation().emitError() << "expected numbers of parts below " << found.size() << ", got "
                                 << part;
      return signalPassFailure();
    }
    mark(found);
    if (isAlone)
      for (Operation &op : forward.getBody().front().without_terminator())
        op.setAttr(pipe::stageAttrName, Builder(&getContext()).getI64IntegerAttr(0));
  }

private:
  /// Erases the ops that a constraint recomputes anyway or never, and parts that become empty.
  static void eraseGiven(std::vector<RecomputePart> &found,
                         const pipeline::StageConstraints &given) {
    for (RecomputePart &part : found)
      llvm::erase_if(
          part.ops, [&](Operation *op) { return given.decideRecompute(op).constraint != nullptr; });
    std::erase_if(found, [](const RecomputePart &part) { return part.ops.empty(); });
  }

  void annotateSeconds(ArrayRef<RecomputePart> found) {
    Builder b(&getContext());
    auto seconds = llvm::map_range(found, [&](const RecomputePart &part) -> Attribute {
      return b.getF64FloatAttr(part.seconds);
    });
    getOperation()->setDiscardableAttr(partSecondsAttrName,
                                       b.getArrayAttr(llvm::to_vector(seconds)));
  }

  void mark(ArrayRef<RecomputePart> found) {
    analysis::UsedNames names(getOperation());
    SmallVector<Attribute> constraints;
    if (auto given = getOperation()->getAttrOfType<ArrayAttr>(pipe::constraintsAttrName))
      constraints.assign(given.begin(), given.end());
    Builder b(&getContext());
    for (int64_t part : parts)
      for (Operation *op : found[part].ops) {
        names.makeUnique(op);
        constraints.push_back(
            b.getDictionaryAttr({b.getNamedAttr("marked", b.getUnitAttr()),
                                 b.getNamedAttr("op_name", b.getStringAttr(analysis::getName(op))),
                                 b.getNamedAttr("recompute", b.getUnitAttr())}));
      }
    if (!constraints.empty())
      getOperation()->setAttr(pipe::constraintsAttrName, b.getArrayAttr(constraints));
  }
};

} // namespace

} // namespace pcc::plan
