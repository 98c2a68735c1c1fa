// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass in program order adds each op's seconds by pass and kind, on a clock that tells when
// gradients are ready. Reductions of gradients and gathers of parameters are only collected here;
// StepCost.cpp decides when they run. SectionOverlap.cpp computes how much of other collectives is
// hidden.
#include "compiler/plan/cost/SectionCostModel.h"

#include "dialects/graph/Roles.h"
#include "passes/analysis/ElementTypes.h"
#include "passes/analysis/StageSections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/analysis/names/OpNames.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/machine/Roofline.h"

using namespace mlir;

namespace pcc::plan {

/// Collects the ops on which `value` depends.
static void collectSources(Value value, DenseSet<Operation *> &ops) {
  SmallVector<Operation *> work;
  auto add = [&](Value source) {
    if (Operation *op = source.getDefiningOp(); op && ops.insert(op).second)
      work.push_back(op);
  };
  add(value);
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands())
      add(operand);
}

bool NamePattern::matches(Operation *op) const {
  return !isEmpty &&
         llvm::any_of(analysis::getNames(op), [&](StringRef name) { return regex.match(name); });
}

SectionCostModel::SectionCostModel(analysis::Section section, const CostContext &context,
                                   abi::ElementType f32As)
    : section(section), context(context), f32As(f32As), recompute(context.options.recompute),
      wide(context.options.wide),
      isUpdate(!graph::findArgs(section.function, graph::RoleKind::Gradient).empty()),
      given(context.options.system.kernelsOf
                ? context.options.system.kernelsOf(section.function, context.cluster.device())
                : GivenKernels()),
      shares(section.function, [&](Operation *op) { return given.numbers.lookup(op); }) {
  for (auto [index, value] : llvm::enumerate(this->section.getReturned())) {
    graph::RoleAttr role = this->section.getResultRole(index);
    if (!role || role.getKind() != graph::RoleKind::Loss)
      continue;
    hasPasses = true;
    collectSources(value, forward);
  }
  StringRef name = this->section.function.getName();
  if (!name.starts_with(analysis::forwardTrainName) && !name.starts_with(analysis::backwardName))
    return;
  hasPasses = true;
  if (name.starts_with(analysis::forwardTrainName))
    for (Operation &op : this->section.function.getBody().front())
      forward.insert(&op);
}

SectionCost SectionCostModel::cost() {
  result.name = section.function.getName();
  result.runs = section.runs;
  for (Operation &op : section.function.getBody().front().without_terminator())
    if (auto send = dyn_cast<pipe::SendOp>(op))
      addMessage(send);
    else if (isa<pipe::RecvOp>(op))
      continue;
    else if (analysis::isCollective(&op))
      addCollective(&op);
    else
      addOp(&op);
  result.backward.movement += sumSeconds();
  findTimesLeft();
  result.liveBytes = analysis::countLiveBytes(section.function, shares,
                                              [&](Value value) { return countBytes(value); });
  return std::move(result);
}

/// Returns the op that computes `value`, looking through ops that scale, move or convert it.
/// Returns null for an argument.
static Operation *findOrigin(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && op->getNumOperands() > 0) {
    analysis::OpClass opClass = analysis::classOf(op);
    if (opClass != analysis::OpClass::Elementwise && opClass != analysis::OpClass::Movement)
      break;
    op = op->getOperand(0).getDefiningOp();
  }
  return op;
}

/// Returns the seconds to add results to their sums over actions. A separate kernel reads both and
/// writes the sum, even if there is only one action. A matmul adds while it multiplies, and the
/// sums are read and written in f32.
double SectionCostModel::sumSeconds() {
  const abi::DeviceFigures &device = context.cluster.device();
  double gradientBytes = double(abi::elementBytes(context.options.precision.gradients));
  double seconds = 0;
  for (auto [index, value] : llvm::enumerate(section.getReturned())) {
    graph::RoleAttr role = section.getResultRole(index);
    bool isGradient = role && role.getKind() == graph::RoleKind::Gradient;
    double elements = double(cast<ShapedType>(value.getType()).getNumElements());
    if (context.options.system.addsApart && isGradient) {
      seconds += machine::moveSeconds(device, 3 * gradientBytes * elements);
    } else if (section.isAccumulated(index)) {
      double adding = 2 * 4 * elements / machine::memoryRate(device);
      seconds += std::max(0.0, adding - idleMemory.lookup(findOrigin(value)));
    }
  }
  return seconds;
}

/// Ratio of an element's bytes under mixed precision to its bytes in the program.
double SectionCostModel::scaleOf(Type type) const {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() ? double(abi::elementBytes(f32As)) / 4 : 1;
}

int64_t SectionCostModel::countBytes(Value value) const {
  return static_cast<int64_t>(scaleOf(value.getType()) *
                              static_cast<double>(analysis::getNumBytes(value.getType())));
}

Seconds &SectionCostModel::passOf(Operation *op) {
  return isBackward(op) ? result.backward : result.forward;
}

bool SectionCostModel::isRecomputed(Operation *op) {
  return hasPasses && forward.contains(op) && recompute.matches(op);
}

static double &secondsOfClass(Seconds &seconds, analysis::OpClass opClass) {
  switch (opClass) {
  case analysis::OpClass::Contraction:
    return seconds.contraction;
  case analysis::OpClass::Elementwise:
    return seconds.elementwise;
  case analysis::OpClass::Reduction:
    return seconds.reduction;
  case analysis::OpClass::Movement:
  case analysis::OpClass::Leaf:
    return seconds.movement;
  case analysis::OpClass::Communication:
    return seconds.communication;
  }
  llvm_unreachable("every class is listed");
}

void SectionCostModel::spend(Operation *op, analysis::OpClass opClass, double seconds) {
  secondsOfClass(passOf(op), opClass) += seconds;
  if (isRecomputed(op))
    secondsOfClass(result.recomputed, opClass) += seconds;
  clock += seconds;
  doneAt[op] = clock;
  if (seconds > 0)
    result.ops.push_back({analysis::getName(op).str(), op->getName().stripDialect().str(),
                          isBackward(op) ? Pass::Backward : Pass::Forward, seconds});
}

/// Returns whether the op moves elements in an update that has no kernels for it.
bool SectionCostModel::isFree(Operation *op) const {
  return analysis::classOf(op) == analysis::OpClass::Movement && updatesAtOnce();
}

analysis::OpCostModel SectionCostModel::opCostOf(Operation *op) const {
  analysis::KernelShare share = shares.of(op);
  share.launches &= !updatesAtOnce();
  return {op, context.cluster.device(), share, wide.matches(op) ? abi::F32 : f32As};
}

double SectionCostModel::secondsOf(Operation *op) const {
  auto found = given.seconds.find(op);
  double seconds = found != given.seconds.end() ? found->second
                                                : opCostOf(op).seconds(analysis::OpShapes::of(op));
  return analysis::classOf(op) == analysis::OpClass::Contraction ? seconds * context.slowest
                                                                 : seconds;
}

void SectionCostModel::addOp(Operation *op) {
  if (isFree(op))
    return;
  analysis::OpShapes shapes = analysis::OpShapes::of(op);
  analysis::Cost cost = analysis::costOf(op, shapes);
  double seconds = secondsOf(op);
  result.flops += static_cast<double>(cost.flops);
  if (cost.opClass == analysis::OpClass::Contraction) {
    room.try_emplace(op, seconds);
    double moving = opCostOf(op).bytes(shapes) / machine::memoryRate(context.cluster.device());
    idleMemory[op] = std::max(0.0, seconds - moving);
  }
  spend(op, cost.opClass, seconds);
}

/// Returns the name of the gradient argument from which `value` comes, looking through ops that
/// scale, slice or convert it.
static StringRef findGradient(analysis::Section &section, Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() == 0)
      return "";
    value = op->getOperand(0);
  }
  graph::RoleAttr role = section.getArgumentRole(cast<BlockArgument>(value).getArgNumber());
  return role && role.getKind() == graph::RoleKind::Gradient ? graph::getName(role) : "";
}

void SectionCostModel::addCollective(Operation *op) {
  machine::Traffic traffic = analysis::trafficOf(op);
  machine::GroupLayout group = analysis::groupOf(op, context.mesh, context.cluster);
  StringRef gradient = op->getNumOperands() ? findGradient(section, op->getOperand(0)) : "";
  if (!gradient.empty()) {
    traffic.bytes *= double(abi::elementBytes(context.options.precision.gradients)) / 4;
    reductions.push_back({traffic, group, gradient});
    updated[gradient] = cast<ShapedType>(op->getResult(0).getType()).getNumElements();
    return;
  }
  if (isUpdate && traffic.kind == abi::ALL_GATHER) {
    traffic.bytes *= double(abi::elementBytes(context.options.precision.activations)) / 4;
    gathers.push_back({traffic, group, ""});
    return;
  }
  if (isUpdate && context.options.system.updatesAtOnce)
    return;
  if (op->getNumOperands())
    traffic.bytes *= scaleOf(op->getOperand(0).getType());
  double seconds = machine::estimateCollectiveCost(context.cluster, group, traffic).seconds;
  double hidden = hideInputGradient(op, seconds);
  if (hidden == 0)
    hidden = hide(op, seconds, group.size);
  result.hidden += hidden * (isRecomputed(op) ? 2 : 1);
  spend(op, analysis::OpClass::Communication, seconds);
  if (context.options.system.gathersAgain && traffic.kind == abi::ALL_GATHER && !isBackward(op))
    gatherAgain(op, seconds);
}

/// Adds a message to the rank at the same position of another stage. All positions send in
/// parallel.
void SectionCostModel::addMessage(pipe::SendOp op) {
  double bytes = static_cast<double>(countBytes(op.getInput()));
  result.message =
      std::max(result.message,
               analysis::secondsOfTransfer(bytes, context.mesh.getNumRanks(), context.cluster));
}

double SectionCostModel::getUpdatedElements() const {
  func::FuncOp update = section.function;
  double elements = 0;
  for (unsigned argument : graph::findArgs(update, graph::RoleKind::Gradient)) {
    auto reduced = updated.find(graph::getName(graph::getArgRole(update, argument)));
    elements += static_cast<double>(
        reduced != updated.end()
            ? reduced->second
            : cast<ShapedType>(update.getArgumentTypes()[argument]).getNumElements());
  }
  return elements;
}

/// A gradient is ready when its origin is ready, because ops that scale it may run immediately.
void SectionCostModel::findTimesLeft() {
  for (auto [index, value] : llvm::enumerate(section.getReturned())) {
    graph::RoleAttr role = section.getResultRole(index);
    if (role && role.getKind() == graph::RoleKind::Gradient)
      timesLeft[graph::getName(role)] = clock - doneAt.lookup(findOrigin(value));
  }
}

} // namespace pcc::plan
