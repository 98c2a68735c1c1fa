// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BuildUpdate: makes @update(parameters, gradients, states[, step]) -> (parameters, states), with
// one optimizer op for each gradient that @forward_backward yields. Arguments and results are
// grouped by kind, each group in the order of the gradients. States are declared beside their
// parameters, in f64 for parameters of f64 and else in f32: small terms would not change a moment
// of few bits. The learning rate is a scalar value of the function, so that a schedule can compute
// it from the step.
//
// The gradients may be multiplied by a factor first (GradientScale.cpp). States of the training as
// a whole (TrainingState.h) are arguments and results behind those of the optimizer.
//
// Parts of the batch may leave a division to the update (AdaptLossToParts.cpp). It then takes their
// share behind the gradients and their loss behind the states, and returns the loss of the batch.
//
// Copies of a parameter on later virtual stages (dialects/pipe/Pipe.h) have gradients but no
// states. Their gradients go to the owner's virtual stage and are added there. The new value comes
// back to the copies.
#include "dialects/graph/OptimizerState.h"
#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "passes/autodiff/Names.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "passes/autodiff/TrainingState.h"
#include "passes/autodiff/options/Optimizers.h"
#include "passes/autodiff/options/OptionList.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_BUILDUPDATE
#include "passes/autodiff/Passes.h.inc"

/// One parameter to update.
struct Trained {
  graph::ParameterOp parameter;
  SmallVector<graph::ParameterOp> states;
  RankedTensorType gradientType; ///< the parameter's own, or that of sums
  dist::ShardingAttr boundary;   ///< of the gradient, and of all else that belongs to the parameter

  /// Returns the name of the parameter that this one copies; empty if it is no copy.
  StringRef getOwner() {
    auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName);
    return owner ? owner.getValue() : StringRef();
  }
  int64_t getVirtualStage() {
    auto chunk = parameter->getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName);
    return chunk ? chunk.getInt() : 0;
  }
};

/// Returns the parameters whose gradients `function` yields.
static FailureOr<SmallVector<Trained>> findTrained(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  SmallVector<Trained> trained;
  for (unsigned index : graph::findResults(function, graph::RoleKind::Gradient)) {
    StringRef name = graph::getName(graph::getResultRole(function, index));
    auto parameter = symbols.lookup<graph::ParameterOp>(name);
    if (parameter && isTrainingState(parameter))
      continue;
    if (!parameter)
      return function.emitError() << "result #" << index << " is the gradient of '" << name
                                  << "', which no graph.parameter declares";
    dist::ShardingAttr boundary = boundaryOfResult(function, index);
    RankedTensorType own = parameter.getTensorType(), wide = accumulatedType(own);
    Type got = function.getResultTypes()[index], expected = typeInside(function, wide, boundary);
    bool isOwn = got == typeInside(function, own, boundary);
    if (!isOwn && got != expected)
      return function.emitError() << "result #" << index << " is the gradient of '" << name
                                  << "': expected " << expected << ", got " << got;
    trained.push_back({parameter, {}, isOwn ? own : wide, boundary});
  }
  if (trained.empty())
    return function.emitError() << "expected at least one result with the role of a gradient";
  return trained;
}

/// Declares the states of one parameter after it. They share its attributes: a slice of the
/// parameter has the same slice of its states. `symbols` are those before any state was declared.
static LogicalResult declareStates(Trained &trained, const OptimizerKind &kind,
                                   const SymbolTable &symbols) {
  graph::ParameterOp parameter = trained.parameter;
  OpBuilder builder(parameter);
  builder.setInsertionPointAfter(parameter);
  auto zeros = graph::InitAttr::get(parameter.getContext(), graph::InitKind::Zeros,
                                    builder.getDenseF64ArrayAttr({}));
  for (StringRef suffix : kind.states) {
    std::string name = (parameter.getSymName() + "." + suffix).str();
    if (Operation *taken = symbols.lookup(name))
      return taken->emitError() << "'" << name << "' is the name of a state of optimizer '"
                                << kind.name << "': rename this symbol";
    auto state = graph::ParameterOp::create(
        builder, parameter.getLoc(), name, accumulatedType(parameter.getTensorType()), zeros,
        /*value=*/ElementsAttr(), /*trainable=*/false, parameter.getLayerwiseParallel(),
        parameter.getParallelOptimizer());
    state->setAttr(graph::stateOfName, FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
    trained.states.push_back(state);
  }
  return success();
}

/// Types and roles of one side of @update, grouped by kind.
struct Side {
  func::FuncOp section; ///< whose gradients @update takes
  SmallVector<Type> types = {};
  SmallVector<Attribute> roles = {};

  void add(RankedTensorType declared, graph::RoleKind kind, StringRef name,
           dist::ShardingAttr boundary) {
    types.push_back(typeInside(section, declared, boundary));
    roles.push_back(roleAttributes(declared.getContext(), kind, name, boundary));
  }
  void addParameter(Trained one) {
    add(one.parameter.getTensorType(), graph::RoleKind::Parameter, one.parameter.getSymName(),
        one.boundary);
  }
  void addOwners(ArrayRef<Trained> all) {
    for (Trained one : all)
      if (one.getOwner().empty())
        addParameter(one);
  }
  void addParameters(ArrayRef<Trained> all) {
    for (const Trained &one : all)
      addParameter(one);
  }
  void addGradients(ArrayRef<Trained> all) {
    for (Trained one : all)
      add(one.gradientType, graph::RoleKind::Gradient, one.parameter.getSymName(), one.boundary);
  }
  void addStates(ArrayRef<Trained> all) {
    for (const Trained &one : all)
      for (graph::ParameterOp state : one.states)
        add(state.getTensorType(), graph::RoleKind::Parameter, state.getSymName(), one.boundary);
  }
  void addTrainingStates(ArrayRef<graph::ParameterOp> states) {
    for (graph::ParameterOp state : states)
      add(state.getTensorType(), graph::RoleKind::Parameter, state.getSymName(), {});
  }
  /// Adds a value as @forward_backward returns it.
  void addResult(unsigned index) {
    types.push_back(section.getResultTypes()[index]);
    graph::RoleAttr role = graph::getResultRole(section, index);
    roles.push_back(roleAttributes(section.getContext(), role.getKind(), graph::getName(role),
                                   boundaryOfResult(section, index)));
  }
  void addStep(MLIRContext *context) {
    add(RankedTensorType::get({}, IntegerType::get(context, 64)), graph::RoleKind::Step, "", {});
  }
};

/// Results of @forward_backward that the update divides and by which, as numbers of results.
struct Deferred {
  unsigned share, loss;

  /// Returns nothing if each part of the batch divides its own loss.
  static FailureOr<std::optional<Deferred>> find(func::FuncOp section) {
    std::optional<unsigned> share = findCountedShare(section);
    if (!share)
      return std::optional<Deferred>();
    SmallVector<unsigned> losses = graph::findResults(section, graph::RoleKind::Loss);
    auto isScalar = [&](unsigned result) {
      auto type = dyn_cast<RankedTensorType>(section.getResultTypes()[result]);
      return type && type.getRank() == 0 && isa<FloatType>(type.getElementType());
    };
    if (losses.size() != 1 || !isScalar(losses.front()) || !isScalar(*share))
      return section.emitError() << "expected one float scalar as loss beside the scalar '"
                                 << getStateName(TrainingState::CountedShare) << "', got "
                                 << losses.size() << " losses";
    return std::optional(Deferred{*share, losses.front()});
  }
};

/// Makes an empty @update with its signature, after `after`.
static func::FuncOp declareUpdate(func::FuncOp after, ArrayRef<Trained> all,
                                  ArrayRef<graph::ParameterOp> trainingStates,
                                  std::optional<Deferred> deferred, bool takesStep) {
  Side arguments{after}, results{after};
  arguments.addOwners(all);
  arguments.addGradients(all);
  if (deferred)
    arguments.addResult(deferred->share);
  arguments.addStates(all);
  arguments.addTrainingStates(trainingStates);
  if (deferred)
    arguments.addResult(deferred->loss);
  if (takesStep)
    arguments.addStep(after.getContext());
  results.addParameters(all);
  results.addStates(all);
  results.addTrainingStates(trainingStates);
  if (deferred)
    results.addResult(deferred->loss);
  OpBuilder builder(after);
  builder.setInsertionPointAfter(after);
  auto update = func::FuncOp::create(builder, after.getLoc(), updateName,
                                     builder.getFunctionType(arguments.types, results.types));
  update.setArgAttrsAttr(builder.getArrayAttr(arguments.roles));
  update.setResAttrsAttr(builder.getArrayAttr(results.roles));
  if (isLocal(after))
    update->setAttr(dist::localAttrName, builder.getUnitAttr());
  update.addEntryBlock();
  return update;
}

/// Declares the states of the training, except for those that passes before have declared: the loss
/// scale, which the derivative reads, and the share that counts.
static FailureOr<SmallVector<graph::ParameterOp>>
declareTrainingStates(func::FuncOp section, ArrayRef<TrainingState> listed, int64_t lossStage) {
  SmallVector<graph::ParameterOp> states;
  auto module = section->getParentOfType<ModuleOp>();
  for (TrainingState state : listed) {
    if (state == TrainingState::Scale || state == TrainingState::CountedShare) {
      auto known = module.lookupSymbol<graph::ParameterOp>(getStateName(state));
      if (!known)
        return module.emitError() << "expected the parameter '" << getStateName(state)
                                  << "'; run --autodiff-differentiate with a dynamic loss scale";
      states.push_back(known);
      continue;
    }
    FailureOr<graph::ParameterOp> declared =
        declareTrainingState(section, state, /*first=*/0, lossStage);
    if (failed(declared))
      return failure();
    states.push_back(*declared);
  }
  return states;
}

/// Fills an empty @update.
class UpdateBuilder {
public:
  UpdateBuilder(func::FuncOp update, MutableArrayRef<Trained> all, const OptimizerSpec &spec,
                const GradientOptions &options, ArrayRef<TrainingState> trainingStates,
                bool divides, int64_t lossStage)
      : update(update), all(all), spec(spec), options(options), trainingStates(trainingStates),
        divides(divides), lossStage(lossStage),
        builder(ImplicitLocOpBuilder::atBlockEnd(update.getLoc(), &update.getBody().front())) {}

  void run() {
    step = spec.takesStep() ? update.getArguments().back() : Value();
    // One parameter of f64 needs all digits of the rate; the others round it.
    bool isWide = llvm::any_of(
        all, [](Trained &one) { return one.parameter.getTensorType().getElementType().isF64(); });
    element = isWide ? Type(builder.getF64Type()) : builder.getF32Type();
    rate = spec.rate.build(builder, NameLoc::get(builder.getStringAttr("learning_rate")), step,
                           element);
    parameters.resize(all.size());
    size_t owners = llvm::count_if(all, [](Trained &one) { return one.getOwner().empty(); });
    firstGradient = owners;
    nextState = owners + all.size() + (divides ? 1 : 0);
    for (size_t index = 0; index < all.size(); ++index)
      if (StringRef owner = all[index].getOwner(); !owner.empty())
        copies[owner].push_back(index);
    addAllCopies();
    Value share = divides ? getGradient(all.size()) : Value();
    GradientScale scale(builder, options, element, share, lossStage);
    buildScale(scale);
    size_t held = 0;
    for (size_t index = 0; index < all.size(); ++index)
      if (all[index].getOwner().empty())
        build(index, update.getArgument(held++), scale);
    builder.setLoc(update.getLoc());
    llvm::append_range(parameters, states);
    for (TrainingState state : trainingStates)
      parameters.push_back(state == TrainingState::Rate ? roundRate() : scale.getNext(state));
    if (divides)
      parameters.push_back(divideLoss(share));
    func::ReturnOp::create(builder, parameters);
    makeNamesUnique(&update.getBody().front().front());
  }

private:
  void build(size_t index, Value parameter, GradientScale &scale) {
    Trained &one = all[index];
    UpdateOperands operands;
    operands.parameter = parameter;
    operands.gradient = gradients[index];
    for (size_t state = 0; state < one.states.size(); ++state)
      operands.states.push_back(update.getArgument(nextState++));
    setName("gradient_scale");
    operands.rate = rate;
    operands.step = spec.kind->takesStep ? scale.getStep(one.getVirtualStage()) : Value();
    operands.scale = scale.getFactor(one.getVirtualStage());
    operands.zeroSkips = options.skips();
    setName(one.parameter.getSymName() + ".update");
    SmallVector<Value> results = spec.kind->build(builder, spec, operands);
    llvm::append_range(states, llvm::drop_begin(results));
    parameters[index] = results.front();
    for (size_t copy : findCopies(index)) {
      setName(all[copy].parameter.getSymName() + ".update");
      parameters[copy] = transfer(results.front(), index, copy);
    }
  }

  /// Adds the gradients of all copies to those of their owners.
  void addAllCopies() {
    gradients.resize(all.size());
    for (size_t index = 0; index < all.size(); ++index)
      if (all[index].getOwner().empty())
        gradients[index] = addCopies(index, getGradient(index));
  }

  /// Adds the gradients of an owner's copies to its own gradient.
  Value addCopies(size_t index, Value gradient) {
    for (size_t copy : findCopies(index)) {
      setName(all[copy].parameter.getSymName() + ".grad_sum");
      Value other = transfer(getGradient(copy), copy, index);
      gradient = graph::AddOp::create(builder, gradient, other);
    }
    return gradient;
  }

  /// Builds the factor of the gradients and its next states.
  void buildScale(GradientScale &scale) {
    setName("gradient_norm");
    for (size_t index = 0; index < all.size(); ++index)
      if (gradients[index])
        scale.addGradient(gradients[index], all[index].getVirtualStage());
    setName("gradient_scale");
    TrainingStateValues held;
    size_t next = getEnd() - (divides ? 1 : 0) - trainingStates.size();
    for (TrainingState state : trainingStates)
      held[state] = update.getArgument(next++);
    scale.build(held, step);
  }

  /// Returns the learning rate as its state holds it.
  Value roundRate() {
    return graph::DecompositionBuilder(rate.getLoc(), builder).castTo(rate, builder.getF32Type());
  }

  /// Returns the number of arguments but the step.
  size_t getEnd() { return update.getNumArguments() - (spec.takesStep() ? 1 : 0); }

  /// Divides the loss, the last argument but the step, by the share of the batch that counts.
  Value divideLoss(Value share) {
    setName("loss");
    Value loss = update.getArgument(getEnd() - 1);
    Type own = getElementTypeOrSelf(loss), wide = getElementTypeOrSelf(share);
    graph::DecompositionBuilder divider(builder.getLoc(), builder);
    return divider.castTo(divider.make<graph::DivOp>(divider.castTo(loss, wide), share), own);
  }

  Value getGradient(size_t index) { return update.getArgument(firstGradient + index); }

  ArrayRef<size_t> findCopies(size_t owner) {
    auto known = copies.find(all[owner].parameter.getSymName());
    return known == copies.end() ? ArrayRef<size_t>() : ArrayRef<size_t>(known->second);
  }

  Value transfer(Value value, size_t from, size_t to) {
    return pipe::TransferOp::create(builder, value, all[from].getVirtualStage(),
                                    all[to].getVirtualStage());
  }

  void setName(const Twine &name) { builder.setLoc(NameLoc::get(builder.getStringAttr(name))); }

  func::FuncOp update;
  MutableArrayRef<Trained> all;
  const OptimizerSpec &spec;
  const GradientOptions &options;
  ArrayRef<TrainingState> trainingStates;
  bool divides;      ///< the loss and the gradients, by the counted share
  int64_t lossStage; ///< virtual stage
  ImplicitLocOpBuilder builder;
  Type element; ///< of scalars
  Value step, rate;
  size_t firstGradient = 0, nextState = 0;        ///< among the arguments
  llvm::StringMap<SmallVector<size_t, 1>> copies; ///< numbers of parameters, by their owner
  SmallVector<Value> gradients;                   ///< by parameter; null for copies
  SmallVector<Value> parameters, states;          ///< the results
};

/// Checks that all ranks have the same norm: it cannot hold for parameters that each rank has for
/// itself.
static LogicalResult checkNorm(ArrayRef<Trained> all, const GradientOptions &options) {
  for (Trained one : all)
    if (options.needsNorm() && one.parameter.getLayerwiseParallel())
      return one.parameter.emitError()
             << "each rank has its own '" << one.parameter.getSymName()
             << "' (layerwise_parallel), so there is no global norm of the gradients: expected no "
                "clip norm, no dynamic loss scale and no skipped steps";
  return success();
}

/// Checks that a skipped step changes nothing: `section` must not update parameters itself, as it
/// does with running statistics.
static LogicalResult checkSkips(func::FuncOp section, const GradientOptions &options) {
  if (!options.skipsNonfinite)
    return success();
  for (unsigned index : graph::findResults(section, graph::RoleKind::Parameter))
    return section.emitError() << "the forward pass updates '"
                               << graph::getName(graph::getResultRole(section, index))
                               << "', also with numbers that are not finite: expected no "
                                  "'--skip-nonfinite' and no '--on-nonfinite=skip' with running "
                                  "statistics; '--freeze-batch-norm' keeps them, and "
                                  "'--on-nonfinite=rollback' undoes such steps";
  return success();
}

static LogicalResult buildUpdate(ModuleOp module, const OptimizerSpec &spec,
                                 const GradientOptions &options) {
  func::FuncOp section =
      findFunction(module, forwardBackwardName, "run --autodiff-differentiate first");
  if (!section)
    return failure();
  if (Operation *existing = module.lookupSymbol(updateName))
    return existing->emitError() << "the module has an '" << updateName << "' already";
  FailureOr<SmallVector<Trained>> trained = findTrained(section);
  if (failed(trained))
    return failure();
  if (failed(checkNorm(*trained, options)) || failed(checkSkips(section, options)))
    return failure();
  int64_t lossStage = findLossStage(section);
  FailureOr<std::optional<Deferred>> deferred = Deferred::find(section);
  if (failed(deferred))
    return failure();
  bool divides = deferred->has_value();
  SmallVector<TrainingState> listed = listTrainingStates(options, spec.rate.takesStep(), divides);
  FailureOr<SmallVector<graph::ParameterOp>> trainingStates =
      declareTrainingStates(section, listed, lossStage);
  if (failed(trainingStates))
    return failure();
  SymbolTable symbols(module);
  for (Trained &one : *trained)
    if (one.getOwner().empty() && failed(declareStates(one, *spec.kind, symbols)))
      return failure();
  func::FuncOp update =
      declareUpdate(section, *trained, *trainingStates, *deferred, spec.takesStep());
  UpdateBuilder(update, *trained, spec, options, listed, divides, lossStage).run();
  return success();
}

struct BuildUpdate : impl::BuildUpdateBase<BuildUpdate> {
  using BuildUpdateBase::BuildUpdateBase;

  void runOnOperation() override {
    llvm::Expected<OptimizerSpec> spec = parseOptimizer(optimizer);
    if (!spec) {
      getOperation().emitError() << llvm::toString(spec.takeError());
      return signalPassFailure();
    }
    GradientOptions options;
    if (clipNorm > 0)
      options.clipNorm = clipNorm;
    options.lossScale = lossScale;
    options.isDynamic = dynamicLossScale;
    options.skipsNonfinite = skipNonfinite;
    if (failed(buildUpdate(getOperation(), *spec, options)))
      signalPassFailure();
  }
};

} // namespace pcc::autodiff
