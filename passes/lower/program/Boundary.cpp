// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the boundary of a program: parameters, inputs, results and metrics.
#include "passes/lower/program/Program.h"

#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/ModuleFacts.h"
#include "dialects/graph/Roles.h"
#include "passes/analysis/batch/Sources.h"
#include "passes/analysis/kernels/HoistedReductions.h"

using namespace mlir;
using pcc::graph::RoleAttr;
using pcc::graph::RoleKind;
using namespace pcc::task;

namespace pcc::lower {

/// Returns the sharding of an argument or result; replicated if it has no attribute.
static dist::Sharding shardingOf(Attribute attribute, ShapedType type) {
  if (auto sharding = dyn_cast_or_null<dist::ShardingAttr>(attribute))
    return sharding.getSharding();
  return dist::Sharding::replicated(type.getRank());
}

/// The index of the first element of a rank's block in one dimension: coordinates times strides.
static RankAttr offsetOf(MLIRContext *context, const dist::AxisList &axes, int64_t localSize,
                         const dist::Mesh &mesh) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> strides;
  int64_t stride = localSize;
  for (const std::string &axis : llvm::reverse(axes)) {
    names.push_back(StringAttr::get(context, axis));
    strides.push_back(stride);
    stride *= mesh.getSize(StringRef(axis));
  }
  return RankAttr::get(context, 0, names, strides, {});
}

static BlockAttr blockOf(ShapedType type, const dist::Sharding &sharding, const dist::Mesh &mesh) {
  MLIRContext *context = type.getContext();
  SmallVector<RankAttr> offsets;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    offsets.push_back(offsetOf(context, sharding.getDim(dim), type.getDimSize(dim), mesh));
  SmallVector<int64_t, 4> global = sharding.getGlobalShape(type.getShape(), mesh);
  return BlockAttr::get(context, DenseI64ArrayAttr::get(context, global), offsets);
}

namespace {
class BoundaryEmitter {
public:
  BoundaryEmitter(ModuleOp module, ProgramOp program, MutableArrayRef<analysis::Section> sections,
                  const HoistedKernels &hoisted, Buffers &buffers)
      : module(module), mesh(dist::getMesh(module)), loss(graph::findLoss(module)),
        hoisted(hoisted), reductions(sections), buffers(buffers),
        b(OpBuilder::atBlockEnd(&program.getBody().front())) {
    for (analysis::Section &section : sections)
      if (!graph::findArgs(section.function, RoleKind::Loss).empty())
        dividesLoss = section.function;
  }

  void emitArguments(analysis::Section &section);
  void emitResults(analysis::Section &section);
  void emitMetrics(MutableArrayRef<analysis::Section> sections);

private:
  void emitParameter(BlockArgument argument, RoleAttr role, BlockAttr block);
  void emitInput(BlockArgument argument, RoleAttr role, BlockAttr block);
  dist::AxisList reducedAxes(const analysis::HoistedReduction *reduction) const;
  void emitResult(analysis::Section &section, unsigned index, ResultRole role);
  bool isReplaced(const analysis::Section &section, RoleAttr role) const;
  bool areInputsRows() const;
  InputOp findInput(StringRef name) const;
  InputOp findLabels(analysis::Section &evaluation, task::ResultOp scores) const;
  bool emitMetricsOfElements(task::ResultOp output);
  bool emitMetricsOfClasses(analysis::Section &evaluation, task::ResultOp scores);

  ModuleOp module;
  dist::Mesh mesh;
  const std::optional<graph::LossFact> loss;
  const HoistedKernels &hoisted;
  analysis::HoistedReductions reductions;
  Buffers &buffers;
  OpBuilder b;
  func::FuncOp dividesLoss;       ///< the update, if it takes a loss; else null
  llvm::DenseSet<Attribute> seen; ///< keys of arguments that have their op
};
} // namespace

/// Emits a parameter. A parameter that no gradient updates is state: optimizer state or running
/// statistics.
void BoundaryEmitter::emitParameter(BlockArgument argument, RoleAttr role, BlockAttr block) {
  auto parameter = module.lookupSymbol<graph::ParameterOp>(role.getName());
  bool isState = parameter && !parameter.getTrainable();
  task::ParameterOp::create(b, argument.getLoc(), role.getName().getValue(), buffers.of(argument),
                            block, isState);
}

/// Emits an input. The first copy of an input creates the op; later copies are added to it.
void BoundaryEmitter::emitInput(BlockArgument argument, RoleAttr role, BlockAttr block) {
  for (InputOp input : b.getBlock()->getOps<InputOp>())
    if (input.getNameAttr() == role.getName())
      return input.getCopiesMutable().append(buffers.of(argument));
  InputOp::create(b, argument.getLoc(), role.getName(), buffers.of(argument), ValueRange(), block);
}

void BoundaryEmitter::emitArguments(analysis::Section &section) {
  for (BlockArgument argument : section.function.getArguments()) {
    RoleAttr role = section.getArgumentRole(argument.getArgNumber());
    if (!role || !seen.insert(section.getArgumentKey(argument.getArgNumber())).second)
      continue;
    auto type = cast<ShapedType>(argument.getType());
    Attribute sharding =
        section.function.getArgAttr(argument.getArgNumber(), dist::shardingAttrName);
    BlockAttr block = blockOf(type, shardingOf(sharding, type), mesh);
    if (role.getKind() == RoleKind::Parameter)
      emitParameter(argument, role, block);
    else if (role.getKind() == RoleKind::Input)
      emitInput(argument, role, block);
    else if (role.getKind() == RoleKind::Step)
      task::StepOp::create(b, argument.getLoc(), buffers.of(argument));
  }
}

/// Returns the number of ranks whose losses are added. Each rank's own mean is this many times its
/// part of the whole mean.
static double partsOf(const dist::Sharding &sharding, const dist::Mesh &mesh) {
  return double(mesh.getSize(ArrayRef<std::string>(sharding.getPartialAxes())));
}

/// Returns the mesh axes over which hoisted all-reduces sum the buffer.
dist::AxisList BoundaryEmitter::reducedAxes(const analysis::HoistedReduction *reduction) const {
  dist::AxisList axes;
  if (reduction)
    for (dist::AllReduceOp reduce : reduction->reduces)
      llvm::append_range(axes, dist::getGroupAxes(reduce.getGroupAttr(), mesh));
  return axes;
}

void BoundaryEmitter::emitResult(analysis::Section &section, unsigned index, ResultRole role) {
  Value value = section.getReturned()[index];
  auto type = cast<ShapedType>(value.getType());
  dist::Sharding sharding =
      shardingOf(section.function.getResultAttr(index, dist::shardingAttrName), type);
  auto accumulate =
      section.function.getResultAttrOfType<pipe::AccumulateAttr>(index, pipe::accumulateAttrName);
  bool accumulated = section.isAccumulated(index);
  if (accumulated)
    type = analysis::getSumType(type);
  StringRef name = nameOfResult(section.getResultRole(index));
  // A view lies where its root does, so the place may be that of a value of another shape.
  PlaceAttr place =
      accumulated ? section.function.getResultAttrOfType<PlaceAttr>(index, analysis::placeAttrName)
                  : placeOf(analysis::viewRoot(value));
  Value buffer = place ? buffers.at(place, type, name, value.getLoc()) : buffers.of(value);
  // A gradient may be reduced by another section than the one that completes it.
  const analysis::HoistedReduction *reduction =
      role == ResultRole::Gradient ? reductions.find(section.getResultRole(index)) : nullptr;
  dist::AxisList reduced = reducedAxes(reduction);
  SmallVector<StringRef> partial;
  for (const std::string &axis : sharding.getPartialAxes())
    if (!llvm::is_contained(reduced, axis))
      partial.push_back(axis);
  std::string shownAfter =
      hoisted.lastActionOf(reduction ? reduction->section : section.function.getName());
  ResultOp::create(b, value.getLoc(), name, role, buffer,
                   blockOf(type, sharding.withoutPartial(), mesh), shownAfter,
                   partial.empty() ? ArrayAttr() : b.getStrArrayAttr(partial), accumulated,
                   APFloat(accumulate && section.runs ? accumulate.getScale() : 1.0),
                   APFloat(role == ResultRole::Loss ? partsOf(sharding, mesh) : 1.0));
}

/// Returns whether the update takes the loss that `section` returns, and returns another one.
bool BoundaryEmitter::isReplaced(const analysis::Section &section, RoleAttr role) const {
  return role.getKind() == RoleKind::Loss && section.runs > 0 && dividesLoss &&
         dividesLoss != section.function;
}

void BoundaryEmitter::emitResults(analysis::Section &section) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i) {
    RoleAttr role = section.getResultRole(i);
    // A sum is complete in the last section that adds to it.
    if (!role || (section.isAccumulated(i) && !section.endsSum(i)) || isReplaced(section, role))
      continue;
    if (role.getKind() == RoleKind::Loss)
      emitResult(section, i, ResultRole::Loss);
    else if (role.getKind() == RoleKind::Output)
      emitResult(section, i, ResultRole::Output);
    else if (role.getKind() == RoleKind::Gradient)
      emitResult(section, i, ResultRole::Gradient);
  }
}

/// Returns whether the inputs are rows of one batch: all have a first dimension of the same size.
bool BoundaryEmitter::areInputsRows() const {
  std::optional<int64_t> rows;
  for (InputOp input : b.getBlock()->getOps<InputOp>()) {
    ArrayRef<int64_t> shape = input.getBlock().getGlobalShape().asArrayRef();
    if (shape.empty() || shape.front() != rows.value_or(shape.front()))
      return false;
    rows = shape.front();
  }
  return true;
}

/// Returns whether an evaluation computes this output from the input named `input`.
static bool isComputedFrom(analysis::Section &evaluation, task::ResultOp output, StringRef input) {
  std::optional<unsigned> index = analysis::findResult(
      evaluation, RoleAttr::get(output.getContext(), RoleKind::Output, output.getNameAttr()));
  if (!index)
    return false;
  auto sources = analysis::findSources(evaluation.getReturned()[*index]);
  return llvm::any_of(evaluation.function.getArguments(), [&](BlockArgument argument) {
    RoleAttr role = evaluation.getArgumentRole(argument.getArgNumber());
    return role && role.getKind() == RoleKind::Input && role.getName().getValue() == input &&
           sources.contains(argument);
  });
}

/// Finds the labels of `scores`: an integer input with one element per row of `scores`, from which
/// `scores` is not computed.
InputOp BoundaryEmitter::findLabels(analysis::Section &evaluation, task::ResultOp scores) const {
  ArrayRef<int64_t> shape = scores.getBlock().getGlobalShape().asArrayRef();
  if (shape.empty() || shape.back() < 2)
    return {};
  for (InputOp input : b.getBlock()->getOps<InputOp>()) {
    if (loss && loss->labels != input.getName())
      continue;
    Type type = cast<ShapedType>(input.getBuffer().getType()).getElementType();
    if ((type.isSignlessInteger(32) || type.isSignlessInteger(64)) &&
        input.getBlock().getGlobalShape().asArrayRef() == shape.drop_back() &&
        !isComputedFrom(evaluation, scores, input.getName()))
      return input;
  }
  return {};
}

/// Returns the input called `name`; null if the program has none.
InputOp BoundaryEmitter::findInput(StringRef name) const {
  for (InputOp input : b.getBlock()->getOps<InputOp>())
    if (input.getName() == name)
      return input;
  return {};
}

/// Returns the metrics of an output whose elements the loss `kind` compares one by one; none for
/// other losses.
static ArrayRef<MetricKind> metricsOfElements(StringRef kind) {
  static constexpr MetricKind ofMse[] = {MetricKind::MeanSquaredError,
                                         MetricKind::MeanAbsoluteError};
  static constexpr MetricKind ofSigmoid[] = {MetricKind::SigmoidCrossEntropy,
                                             MetricKind::BinaryAccuracy};
  return llvm::StringSwitch<ArrayRef<MetricKind>>(kind)
      .Case("mse", ofMse)
      .Case("sigmoid_cross_entropy", ofSigmoid)
      .Default({});
}

/// Emits the metrics of the output that the loss compares with labels, if it compares elements one
/// by one. Returns whether it does.
bool BoundaryEmitter::emitMetricsOfElements(task::ResultOp output) {
  ArrayRef<MetricKind> kinds = loss ? metricsOfElements(loss->kind) : ArrayRef<MetricKind>();
  InputOp labels = kinds.empty() ? InputOp() : findInput(loss->labels);
  if (!labels)
    return false;
  for (MetricKind kind : kinds)
    MetricOp::create(b, labels.getLoc(), kind, output.getNameAttr(), labels.getNameAttr());
  return true;
}

/// Emits the metrics of scores of classes. Returns whether the scores have labels.
bool BoundaryEmitter::emitMetricsOfClasses(analysis::Section &evaluation, task::ResultOp scores) {
  InputOp labels = findLabels(evaluation, scores);
  if (!labels)
    return false;
  auto emit = [&](MetricKind kind, bool onRequest) {
    MetricOp::create(b, labels.getLoc(), kind, scores.getNameAttr(), labels.getNameAttr(),
                     onRequest);
  };
  emit(MetricKind::Accuracy, /*onRequest=*/false);
  // Scores of rank 3 belong to token sequences, for which perplexity is always reported.
  emit(MetricKind::Perplexity, /*onRequest=*/scores.getBlock().getGlobalShape().size() < 3);
  return true;
}

/// Emits metrics for the output that the loss compares with labels; without such a loss, for the
/// first output that has labels.
void BoundaryEmitter::emitMetrics(MutableArrayRef<analysis::Section> sections) {
  if (!areInputsRows())
    return;
  for (analysis::Section &evaluation : sections)
    for (task::ResultOp output : b.getBlock()->getOps<task::ResultOp>()) {
      if (evaluation.runs != 0 || output.getRole() != ResultRole::Output ||
          output.getSection() != evaluation.function.getName() ||
          (loss && loss->prediction != output.getName()))
        continue;
      if (emitMetricsOfElements(output) || emitMetricsOfClasses(evaluation, output))
        return;
    }
}

void emitBoundary(ModuleOp module, ProgramOp program, MutableArrayRef<analysis::Section> sections,
                  const HoistedKernels &hoisted, Buffers &buffers) {
  BoundaryEmitter emitter(module, program, sections, hoisted, buffers);
  for (analysis::Section &section : sections)
    emitter.emitArguments(section);
  for (analysis::Section &section : sections)
    emitter.emitResults(section);
  emitter.emitMetrics(sections);
}

} // namespace pcc::lower
