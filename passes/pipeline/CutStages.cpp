// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CutStages: turns a program with transfers between virtual stages into a program for each stage.
//
// Assumes local shapes: ops connected without a transfer run on the ranks of one stage. Leaves
// modules @stage0, @stage1, … inside the module, each with its parameters, its part of every
// function and a step. @forward_backward becomes a section for each virtual stage and part
// (OpSections.h). A value that one section saves for another is a result and an argument of role
// saved. The actions of a step are in the order of GPipe, in which every program can run; schedules
// come later. Only transfers cross stages: no collective is added, and none spans stages.
#include "passes/pipeline/FunctionCut.h"
#include "passes/pipeline/OpSections.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipeline/SharedParameters.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/StageSections.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {
#define GEN_PASS_DEF_CUTSTAGES
#include "passes/pipeline/Passes.h.inc"

namespace {

class StageCutter {
public:
  StageCutter(ModuleOp module, order::PipelineShape shape, bool splitsBackward)
      : module(module), shape(shape), splitsBackward(splitsBackward) {}

  LogicalResult run();

private:
  LogicalResult findVirtualStages();
  LogicalResult checkVirtualStage(Operation *op, int64_t chunk) const;
  LogicalResult checkVirtualStages(func::FuncOp function) const;
  void makeStages();
  void moveParameters();
  FunctionCut cutByStage(func::FuncOp function);
  FunctionCut cutByPart(func::FuncOp function);
  void assignOps(FunctionCut &cut, function_ref<unsigned(int64_t chunk, Operation *op)> sectionOf);
  void assignUnread(FunctionCut &cut) const;
  void assignResults(FunctionCut &cut,
                     function_ref<unsigned(int64_t chunk, RoleAttr role)> sectionOf);
  void build(FunctionCut cut);
  void addActions(pipe::StepOp step, int64_t stage);
  void addVirtualStageActions(OpBuilder &b, pipe::StepOp step, int64_t stage);
  std::string nameOf(StringRef section, int64_t chunk) const;

  int64_t stageOf(int64_t chunk) const { return shape.deviceOf(int(chunk)); }
  /// Returns whether the function is cut into forward and backward parts.
  bool isTraining(func::FuncOp function) const { return function == training; }

  ModuleOp module;
  const order::PipelineShape shape;
  const bool splitsBackward;
  func::FuncOp training;
  SmallVector<func::FuncOp> functions;
  llvm::DenseMap<Operation *, VirtualStageMap> chunks; ///< by function
  ParameterVirtualStages parameters;
  SmallVector<ModuleOp> stages;
  MessageTags tags;
};

} // namespace

/// Returns the section of the step that returns gradients.
static func::FuncOp findTraining(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!findResults(function, RoleKind::Gradient).empty())
      return function;
  return {};
}

LogicalResult StageCutter::findVirtualStages() {
  training = findTraining(module);
  llvm::append_range(functions, module.getOps<func::FuncOp>());
  for (auto parameter : module.getOps<ParameterOp>())
    if (auto chunk = parameter->getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName)) {
      if (failed(checkVirtualStage(parameter, chunk.getInt())))
        return failure();
      parameters[parameter.getSymName()] = chunk.getInt();
    }
  for (func::FuncOp function : functions) {
    if (failed(checkVirtualStages(function)))
      return failure();
    FailureOr<VirtualStageMap> map = VirtualStageMap::find(function, parameters);
    if (failed(map))
      return failure();
    chunks.try_emplace(function, std::move(*map));
  }
  return success();
}

LogicalResult StageCutter::checkVirtualStage(Operation *op, int64_t chunk) const {
  if (chunk >= 0 && chunk < shape.stages())
    return success();
  return op->emitError() << "expected chunks 0 to " << shape.stages() - 1 << ", got " << chunk;
}

LogicalResult StageCutter::checkVirtualStages(func::FuncOp function) const {
  for (auto transfer : function.getOps<pipe::TransferOp>())
    if (failed(checkVirtualStage(transfer, transfer.getSource())) ||
        failed(checkVirtualStage(transfer, transfer.getTarget())))
      return failure();
  return success();
}

void StageCutter::makeStages() {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  for (int64_t stage = 0; stage < shape.devices; ++stage) {
    auto inner = ModuleOp::create(b, module.getLoc(), "stage" + std::to_string(stage));
    inner->setDiscardableAttrs(llvm::to_vector(module->getDiscardableAttrs()));
    inner->setAttr(pipe::stageAttrName, b.getI64IntegerAttr(stage));
    stages.push_back(inner);
  }
}

/// Renames the parameter, and all references to it in `stage`.
static void renameParameter(ModuleOp stage, ParameterOp parameter, StringAttr name) {
  StringAttr old = parameter.getSymNameAttr();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RoleAttr role) -> std::optional<Attribute> {
    if (role.getName() != old)
      return std::nullopt;
    return RoleAttr::get(role.getContext(), role.getKind(), name);
  });
  for (auto function : stage.getOps<func::FuncOp>())
    replacer.replaceElementsIn(function);
  parameter.setSymNameAttr(name);
}

/// Moves parameters to the stages that use them, before their functions. A copy gets the name of
/// the parameter that it copies.
void StageCutter::moveParameters() {
  SmallVector<ParameterOp> all(module.getOps<ParameterOp>());
  for (ParameterOp parameter : llvm::reverse(all)) {
    ModuleOp stage = stages[stageOf(parameters.lookup(parameter.getSymName()))];
    parameter->moveBefore(stage.getBody(), stage.getBody()->begin());
  }
  for (ParameterOp parameter : all)
    if (auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName))
      renameParameter(parameter->getParentOfType<ModuleOp>(), parameter, owner);
}

/// Assigns ops to sections. A transfer ends in the section of its target, in the part in which it
/// begins.
void StageCutter::assignOps(FunctionCut &cut,
                            function_ref<unsigned(int64_t, Operation *)> sectionOf) {
  const VirtualStageMap &map = chunks.find(cut.source)->second;
  for (Operation &op : cut.source.getBody().front().without_terminator()) {
    if (auto transfer = dyn_cast<pipe::TransferOp>(op)) {
      cut.sectionOf[&op] = sectionOf(transfer.getSource(), &op);
      cut.receiverOf[&op] = sectionOf(transfer.getTarget(), &op);
    } else if (std::optional<int64_t> chunk = map.virtualStageOf(&op)) {
      cut.sectionOf[&op] = sectionOf(*chunk, &op);
    }
  }
}

/// Assigns parameters that no op reads to the first section of their stage. They are saved with the
/// others.
void StageCutter::assignUnread(FunctionCut &cut) const {
  for (unsigned index : findArgs(cut.source, RoleKind::Parameter)) {
    BlockArgument argument = cut.source.getArgument(index);
    int64_t stage = stageOf(parameters.lookup(getName(getArgRole(cut.source, index))));
    auto first =
        llvm::find_if(cut.sections, [&](const CutSection &own) { return own.stage == stage; });
    if (argument.use_empty())
      cut.unread[argument] = first - cut.sections.begin();
  }
}

/// Assigns results to sections. A result that no section makes, an argument or a constant, is
/// returned by the virtual stage of the parameter of its name.
void StageCutter::assignResults(FunctionCut &cut,
                                function_ref<unsigned(int64_t, RoleAttr)> sectionOf) {
  Operation *end = cut.source.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    RoleAttr role = getResultRole(cut.source, index);
    Operation *op = value.getDefiningOp();
    auto named = parameters.find(getName(role));
    int64_t chunk = named == parameters.end() ? shape.stages() - 1 : named->second;
    cut.returnedBy.push_back(op && cut.sectionOf.contains(op) ? cut.sectionMaking(value)
                                                              : sectionOf(chunk, role));
  }
}

FunctionCut StageCutter::cutByStage(func::FuncOp function) {
  FunctionCut cut;
  cut.source = function;
  for (int64_t stage = 0; stage < shape.devices; ++stage)
    cut.sections.push_back({function.getName().str(), stage});
  auto ofVirtualStage = [&](int64_t chunk, auto) { return unsigned(stageOf(chunk)); };
  assignOps(cut, ofVirtualStage);
  assignUnread(cut);
  assignResults(cut, ofVirtualStage);
  return cut;
}

std::string StageCutter::nameOf(StringRef section, int64_t chunk) const {
  return analysis::sectionOfVirtualStage(section, chunk / shape.devices, shape.chunks);
}

/// Cuts the function into sections: forward in the order of the virtual stages, then backward in
/// reverse.
FunctionCut StageCutter::cutByPart(func::FuncOp function) {
  FunctionCut cut;
  cut.source = function;
  unsigned count = shape.stages();
  auto sectionOf = [&](int64_t chunk, TrainingPart part) -> unsigned {
    return part == TrainingPart::Forward ? chunk : unsigned(part) * count + (count - 1 - chunk);
  };
  StringRef backward = splitsBackward ? analysis::backwardInputName : analysis::backwardName;
  for (unsigned chunk = 0; chunk < count; ++chunk)
    cut.sections.push_back({nameOf(analysis::forwardTrainName, chunk), stageOf(chunk)});
  for (unsigned chunk = count; chunk-- > 0;)
    cut.sections.push_back({nameOf(backward, chunk), stageOf(chunk)});
  for (unsigned chunk = count; splitsBackward && chunk-- > 0;)
    cut.sections.push_back({nameOf(analysis::backwardWeightName, chunk), stageOf(chunk)});

  TrainingParts parts(function, splitsBackward);
  assignOps(cut, [&](int64_t chunk, Operation *op) { return sectionOf(chunk, parts.of(op)); });
  assignUnread(cut);
  assignResults(cut, [&](int64_t chunk, RoleAttr role) {
    bool isGradient = role && role.getKind() == RoleKind::Gradient;
    return sectionOf(chunk, isGradient ? TrainingPart::BackwardInput : TrainingPart::Forward);
  });
  return cut;
}

/// Builds the last section first, because it determines what earlier sections save.
void StageCutter::build(FunctionCut cut) {
  cut.numberMessages(tags);
  cut.findOpsOfParameters();
  cut.findHeadTransposes();
  SmallVector<func::FuncOp> built;
  for (unsigned section = cut.sections.size(); section-- > 0;)
    built.push_back(buildSection(cut, section, stages[cut.sections[section].stage]));
  for (func::FuncOp function : llvm::reverse(built)) // into the order in which they run
    function->moveBefore(function->getBlock(), function->getBlock()->end());
}

/// Adds actions: all microbatches forward, one virtual stage after the other, then all backward.
void StageCutter::addVirtualStageActions(OpBuilder &b, pipe::StepOp step, int64_t stage) {
  auto add = [&](ArrayRef<StringRef> sections, int64_t chunk) {
    if (stageOf(chunk) != stage)
      return;
    for (int64_t microbatch = 0; microbatch < int64_t(step.getMicroBatches()); ++microbatch)
      for (int64_t copy = 0; copy < int64_t(step.getCopies()); ++copy)
        for (StringRef section : sections)
          pipe::ActionOp::create(b, step.getLoc(), nameOf(section, chunk),
                                 b.getI64IntegerAttr(microbatch), b.getI64IntegerAttr(copy));
  };
  for (int64_t chunk = 0; chunk < shape.stages(); ++chunk)
    add(analysis::forwardTrainName, chunk);
  for (int64_t chunk = shape.stages(); chunk-- > 0;)
    if (splitsBackward)
      add({analysis::backwardInputName, analysis::backwardWeightName}, chunk);
    else
      add(analysis::backwardName, chunk);
}

void StageCutter::addActions(pipe::StepOp step, int64_t stage) {
  OpBuilder b = OpBuilder::atBlockEnd(stages[stage].getBody());
  auto own = pipe::StepOp::create(b, step.getLoc(), step.getSymName(), step.getMicroBatches(),
                                  step.getCopies(), step.getMicroReduction());
  b.createBlock(&own.getBody());
  addVirtualStageActions(b, own, stage);
  for (auto slot : step.getBody().getOps<pipe::ActionOp>())
    if (slot.getSection() != training.getName())
      b.clone(*slot);
}

LogicalResult StageCutter::run() {
  if (failed(findVirtualStages()))
    return failure();
  auto stageOfParameter = [&](ParameterOp parameter) {
    return stageOf(parameters.lookup(parameter.getSymName()));
  };
  if (failed(shareCopies(module, stageOfParameter)))
    return failure();
  makeStages();
  for (func::FuncOp function : functions)
    build(isTraining(function) ? cutByPart(function) : cutByStage(function));
  moveParameters();
  if (pipe::StepOp step = analysis::getStep(module)) {
    for (int64_t stage = 0; stage < shape.devices; ++stage)
      addActions(step, stage);
    step.erase();
  }
  for (func::FuncOp function : functions)
    function.erase();
  return success();
}

namespace {
struct CutStages : impl::CutStagesBase<CutStages> {
  using CutStagesBase::CutStagesBase;

  void runOnOperation() override {
    order::PipelineShape shape;
    shape.devices = int(stages);
    shape.chunks = int(virtualStages);
    shape.placement = placement;
    if (failed(StageCutter(getOperation(), shape, splitBackward).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace pcc::pipeline
