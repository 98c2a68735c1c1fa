// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AssignStages: finds a virtual stage for each op, from the stages that the user gives to some ops.
// Checks that the stages form a pipeline. Assumes that the loss is attached
// and the modes are separated, so that ops added here are differentiated. Leaves
// `pipe.virtual_stage` on the ops of all functions.
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/Origins.h"
#include "passes/pipeline/Passes.h"
#include "passes/solve/order/Pipeline.h"
#include <optional>
#include <set>

using namespace mlir;

namespace pcc::pipeline {

using pcc::graph::RoleKind;

// Finds the virtual stage of each op of a model, from the stages that some ops are given. The
// origin of an op determines how:
//
//   %mask = compare %ids, %c       inputs and constants alone: none; each reader makes it
//   %wt = transpose %w             parameters and constants alone: one op for each virtual stage
//                                  that reads it
//   %0 = matmul %x, %w  stage 1    given: the first virtual stage of stage 1 that is not before
//                                  those of its operands
//   %1 = relu %0                   else the latest virtual stage of its operands
//   %2 = gather %table, %ids       if no operand has one, the first virtual stage that reads it
//
// A given stage is kept on a matmul of parameters, and on an op that floating-point inputs alone
// make. Other ops of the first two kinds ignore a given stage.

namespace {

class VirtualStageFinder {
public:
  /// The function has one block and reads parameters and inputs as arguments.
  VirtualStageFinder(mlir::func::FuncOp function, const order::PipelineShape &shape)
      : function(function), shape(shape) {}

  /// Replaces the ops' `pipe.stage` by `pipe.virtual_stage`, and clones ops of parameters alone.
  /// Emits a diagnostic and fails on an error.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult readAnnotations();
  mlir::LogicalResult readAnnotation(mlir::Operation *op);
  mlir::LogicalResult placeAnnotated();
  mlir::FailureOr<int64_t> placeOnStage(mlir::Operation *op, int64_t least,
                                        mlir::Operation *latest);
  void findFirstUsers();
  mlir::LogicalResult placeOthers();
  mlir::LogicalResult checkUnreached(mlir::Operation *op) const;
  /// Returns the first trainable parameter that `op` reads, itself or through ops of parameters
  /// alone.
  llvm::StringRef findTrainable(mlir::Operation *op) const;
  void copyOpsOfParameters();
  void annotate();

  /// Returns the op with the latest known virtual stage among those that `op` reads; null if there
  /// is none.
  mlir::Operation *findLatest(mlir::Operation *op) const;

  mlir::func::FuncOp function;
  order::PipelineShape shape;
  std::optional<Origins> origins;                           ///< known after readAnnotations()
  llvm::DenseMap<mlir::Operation *, int64_t> stages;        ///< given stages
  llvm::DenseMap<mlir::Operation *, int64_t> given;         ///< given virtual stages
  llvm::DenseMap<mlir::Operation *, int64_t> virtualStages; ///< of placed ops, as far as known
  llvm::DenseMap<mlir::Operation *, int64_t> firstUse; ///< first virtual stage that reads an op
};

} // namespace

LogicalResult VirtualStageFinder::run() {
  if (failed(readAnnotations()) || failed(placeAnnotated()))
    return failure();
  findFirstUsers();
  if (failed(placeOthers()))
    return failure();
  copyOpsOfParameters();
  annotate();
  return success();
}

//===-- Given stages -------------------------------------------------------------------------===//

/// Removes the attribute `name` of `op` and stores its number, which must be below `limit`.
static LogicalResult takeNumber(Operation *op, StringRef name, int64_t limit,
                                llvm::DenseMap<Operation *, int64_t> &numbers) {
  Attribute annotation = op->removeAttr(name);
  if (!annotation)
    return success();
  auto number = dyn_cast<IntegerAttr>(annotation);
  if (!number || number.getInt() < 0 || number.getInt() >= limit)
    return op->emitError() << "expected '" << name << "' of \"" << analysis::getName(op)
                           << "\" to be a number from 0 to " << limit - 1 << ", got " << annotation;
  numbers[op] = number.getInt();
  return success();
}

LogicalResult VirtualStageFinder::readAnnotation(Operation *op) {
  if (failed(takeNumber(op, pipe::stageAttrName, shape.devices, stages)) ||
      failed(takeNumber(op, pipe::virtualStageAttrName, shape.stages(), given)))
    return failure();
  auto virtualStage = given.find(op), stage = stages.find(op);
  if (virtualStage == given.end() || stage == stages.end() ||
      shape.deviceOf(virtualStage->second) == stage->second)
    return success();
  return op->emitError() << "\"" << analysis::getName(op) << "\" is given stage " << stage->second
                         << " and chunk " << virtualStage->second << ", which is on stage "
                         << shape.deviceOf(virtualStage->second);
}

LogicalResult VirtualStageFinder::readAnnotations() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!op.hasTrait<OpTrait::ConstantLike>()) {
      if (failed(readAnnotation(&op)))
        return failure();
      continue;
    }
    op.removeAttr(pipe::stageAttrName);
    op.removeAttr(pipe::virtualStageAttrName);
  }
  origins.emplace(function,
                  [&](Operation *op) { return stages.contains(op) || given.contains(op); });
  return success();
}

//===-- Ops with a stage ---------------------------------------------------------------------===//

Operation *VirtualStageFinder::findLatest(Operation *op) const {
  Operation *latest = nullptr;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp(); producer && virtualStages.contains(producer))
      if (!latest || virtualStages.lookup(producer) > virtualStages.lookup(latest))
        latest = producer;
  return latest;
}

/// Returns the first virtual stage of the op's stage from `least` on; `latest` is the operand's op
/// that lies in `least`.
FailureOr<int64_t> VirtualStageFinder::placeOnStage(Operation *op, int64_t least,
                                                    Operation *latest) {
  int64_t stage = stages.lookup(op);
  for (int64_t virtualStage = least; virtualStage < shape.stages(); ++virtualStage)
    if (shape.deviceOf(virtualStage) == stage)
      return virtualStage;
  InFlightDiagnostic error = op->emitError()
                             << "\"" << analysis::getName(op) << "\" on stage " << stage
                             << " reads \"" << analysis::getName(latest) << "\" ";
  if (shape.chunks == 1)
    error << "on stage " << least << ": stages do not decrease along the data";
  else
    error << "in chunk " << least << " of " << shape.stages() << ", behind which stage " << stage
          << " has none; expected more virtual stages";
  error.attachNote(latest->getLoc()) << "it is made here";
  return error;
}

LogicalResult VirtualStageFinder::placeAnnotated() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!origins->isPlaced(&op))
      continue;
    Operation *latest = findLatest(&op);
    int64_t least = latest ? virtualStages.lookup(latest) : 0;
    if (auto known = given.find(&op); known != given.end()) {
      if (known->second < least)
        return op.emitError() << "\"" << analysis::getName(&op) << "\" in chunk " << known->second
                              << " reads \"" << analysis::getName(latest) << "\" in chunk " << least
                              << ": chunks do not decrease along the data";
      virtualStages[&op] = known->second;
    } else if (stages.contains(&op)) {
      FailureOr<int64_t> virtualStage = placeOnStage(&op, least, latest);
      if (failed(virtualStage))
        return failure();
      virtualStages[&op] = *virtualStage;
    } else if (latest) {
      virtualStages[&op] = least;
    }
  }
  return success();
}

//===-- Ops before the first op with a stage -------------------------------------------------===//

void VirtualStageFinder::findFirstUsers() {
  for (Operation &op : llvm::reverse(function.getBody().front().without_terminator()))
    for (Operation *user : op.getUsers()) {
      auto known = virtualStages.find(user), passed = firstUse.find(user);
      if (known == virtualStages.end() && passed == firstUse.end())
        continue;
      int64_t virtualStage = known != virtualStages.end() ? known->second : passed->second;
      auto [first, isNew] = firstUse.try_emplace(&op, virtualStage);
      first->second = std::min(first->second, virtualStage);
    }
}

StringRef VirtualStageFinder::findTrainable(Operation *op) const {
  for (Value operand : op->getOperands()) {
    if (Operation *producer = operand.getDefiningOp()) {
      bool isOfParameters = origins->of(operand) == Origins::Parameters;
      StringRef name = isOfParameters ? findTrainable(producer) : "";
      if (!name.empty())
        return name;
      continue;
    }
    unsigned index = cast<BlockArgument>(operand).getArgNumber();
    graph::RoleAttr role = graph::getArgRole(func::FuncOp(function), index);
    if (!role || role.getKind() != RoleKind::Parameter)
      continue;
    auto module = op->getParentOfType<ModuleOp>();
    auto declaration = module.lookupSymbol<graph::ParameterOp>(graph::getName(role));
    if (declaration && declaration.getTrainable())
      return graph::getName(role);
  }
  return "";
}

LogicalResult VirtualStageFinder::checkUnreached(Operation *op) const {
  StringRef name = findTrainable(op);
  if (name.empty())
    return success();
  return op->emitError() << "\"" << analysis::getName(op) << "\" reads parameter \"" << name
                         << "\" and has no stage, nor has what it reads or what reads it; expected "
                            "a stage for the op of each trainable parameter";
}

LogicalResult VirtualStageFinder::placeOthers() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!origins->isPlaced(&op) || virtualStages.contains(&op))
      continue;
    if (Operation *latest = findLatest(&op)) {
      virtualStages[&op] = virtualStages.lookup(latest);
    } else if (auto first = firstUse.find(&op); first != firstUse.end()) {
      virtualStages[&op] = first->second;
    } else {
      if (failed(checkUnreached(&op)))
        return failure();
      virtualStages[&op] = 0;
    }
  }
  return success();
}

//===-- Ops of parameters alone --------------------------------------------------------------===//

/// Makes one op for each virtual stage that reads it. The op of the first one stays where it was.
void VirtualStageFinder::copyOpsOfParameters() {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.without_terminator()))) {
    if (origins->of(&op) != Origins::Parameters)
      continue;
    std::set<int64_t> readers;
    for (Operation *user : op.getUsers())
      if (auto known = virtualStages.find(user); known != virtualStages.end())
        readers.insert(known->second);
    virtualStages[&op] = readers.empty() ? 0 : *readers.begin();
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfter(&op);
    for (int64_t virtualStage : llvm::drop_begin(readers, readers.empty() ? 0 : 1)) {
      Operation *copy = builder.clone(op);
      virtualStages[copy] = virtualStage;
      op.replaceUsesWithIf(copy->getResults(), [&](OpOperand &use) {
        auto known = virtualStages.find(use.getOwner());
        return known != virtualStages.end() && known->second == virtualStage;
      });
    }
  }
}

void VirtualStageFinder::annotate() {
  Builder builder(function.getContext());
  for (auto [op, virtualStage] : virtualStages)
    op->setAttr(pipe::virtualStageAttrName, builder.getI64IntegerAttr(virtualStage));
}

#define GEN_PASS_DEF_ASSIGNSTAGES
#include "passes/pipeline/Passes.h.inc"

namespace {

/// Returns the function with the loss, else the first one.
func::FuncOp findMain(ArrayRef<func::FuncOp> functions) {
  for (func::FuncOp function : functions)
    if (!graph::findResults(function, graph::RoleKind::Loss).empty())
      return function;
  return functions.empty() ? func::FuncOp() : functions.front();
}

/// Checks that each virtual stage has work: a stage without work would only wait.
LogicalResult checkAllUsed(func::FuncOp function, const order::PipelineShape &shape) {
  llvm::BitVector used(shape.stages());
  for (Operation &op : function.getBody().front())
    if (auto virtualStage = op.getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName))
      used.set(virtualStage.getInt());
  if (used.all())
    return success();
  int missing = used.find_first_unset();
  if (shape.chunks == 1)
    return function.emitError() << "no op is on stage " << missing
                                << ": expected ops on each of stages 0 to " << shape.stages() - 1;
  return function.emitError() << "no op is in chunk " << missing << ", of stage "
                              << shape.deviceOf(missing) << ": expected ops in each of chunks 0 to "
                              << shape.stages() - 1;
}

struct AssignStages : impl::AssignStagesBase<AssignStages> {
  using AssignStagesBase::AssignStagesBase;

  LogicalResult checkOptions() {
    if (stages < 1 || virtualStages < 1)
      return getOperation().emitError() << "expected at least one stage of one chunk, got "
                                        << stages.getValue() << " of " << virtualStages.getValue();
    if (placement == order::Placement::Vee && virtualStages != 2)
      return getOperation().emitError()
             << "expected two virtual stages in a vee, got " << virtualStages.getValue();
    return success();
  }

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    order::PipelineShape shape;
    shape.devices = stages;
    shape.chunks = virtualStages;
    shape.placement = placement;
    SmallVector<func::FuncOp> functions;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function.getBody().hasOneBlock())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(VirtualStageFinder(function, shape).run()))
        return signalPassFailure();
    func::FuncOp main = findMain(functions);
    if (main && failed(checkAllUsed(main, shape)))
      signalPassFailure();
  }
};

} // namespace
} // namespace pcc::pipeline
