// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes @update(parameters, gradients, states[, step]) -> (parameters, states): one optimizer op
// for each gradient that @forward_backward yields. Arguments and results are grouped by kind, each
// group in the order of the gradients. States are declared beside their parameters, in f32 whatever
// the parameter's type: a moment of few bits would stand still beside small terms. The learning
// rate is a scalar value of the function, so that a schedule can compute it from the step.
#include "dialects/graph/OptimizerState.h"
#include "passes/autodiff/Names.h"
#include "passes/autodiff/Optimizers.h"
#include "passes/autodiff/OptionList.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_BUILDUPDATE
#include "passes/autodiff/Passes.h.inc"

/// One parameter to update.
struct Trained {
  graph::ParameterOp parameter;
  SmallVector<graph::ParameterOp> states;
  RankedTensorType gradientType; ///< the parameter's own, or f32
  dist::ShardingAttr boundary;   ///< of the gradient, and of all else that belongs to the parameter
};

/// The parameters whose gradients `function` yields.
static FailureOr<SmallVector<Trained>> findTrained(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  SmallVector<Trained> trained;
  for (unsigned index : graph::findResults(function, graph::RoleKind::Gradient)) {
    StringRef name = graph::getName(graph::getResultRole(function, index));
    auto parameter = symbols.lookup<graph::ParameterOp>(name);
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

/// Declares the states of one parameter behind it. They share its marks: a slice of the parameter
/// has the same slice of its states.
static LogicalResult declareStates(Trained &trained, const OptimizerKind &kind) {
  graph::ParameterOp parameter = trained.parameter;
  OpBuilder builder(parameter);
  builder.setInsertionPointAfter(parameter);
  auto zeros = graph::InitAttr::get(parameter.getContext(), graph::InitKind::Zeros,
                                    builder.getDenseF64ArrayAttr({}));
  for (StringRef suffix : kind.states) {
    std::string name = (parameter.getSymName() + "." + suffix).str();
    if (Operation *taken = SymbolTable::lookupNearestSymbolFrom(parameter->getParentOp(),
                                                                builder.getStringAttr(name)))
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
  void addParameters(ArrayRef<Trained> all) {
    for (Trained one : all)
      add(one.parameter.getTensorType(), graph::RoleKind::Parameter, one.parameter.getSymName(),
          one.boundary);
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
  void addStep(MLIRContext *context) {
    add(RankedTensorType::get({}, IntegerType::get(context, 64)), graph::RoleKind::Step, "", {});
  }
};

/// An empty @update with its signature, behind `after`.
static func::FuncOp declareUpdate(func::FuncOp after, ArrayRef<Trained> all, bool takesStep) {
  Side arguments{after}, results{after};
  arguments.addParameters(all);
  arguments.addGradients(all);
  arguments.addStates(all);
  if (takesStep)
    arguments.addStep(after.getContext());
  results.addParameters(all);
  results.addStates(all);
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

/// The values that parameter number `index` is updated from, among the arguments of `update`.
static UpdateOperands getOperands(func::FuncOp update, ArrayRef<Trained> all, size_t index) {
  UpdateOperands operands;
  operands.parameter = update.getArgument(index);
  operands.gradient = update.getArgument(all.size() + index);
  size_t numStates = all[index].states.size(), firstState = 2 * all.size() + index * numStates;
  for (size_t state = 0; state < numStates; ++state)
    operands.states.push_back(update.getArgument(firstState + state));
  return operands;
}

static void fillUpdate(func::FuncOp update, ArrayRef<Trained> all, const OptimizerSpec &spec) {
  auto builder = ImplicitLocOpBuilder::atBlockEnd(update.getLoc(), &update.getBody().front());
  Value step = spec.takesStep() ? update.getArguments().back() : Value();
  Value rate = spec.rate.build(builder, NameLoc::get(builder.getStringAttr("learning_rate")), step);
  SmallVector<Value> parameters, states;
  for (size_t index = 0; index < all.size(); ++index) {
    graph::ParameterOp parameter = all[index].parameter;
    UpdateOperands operands = getOperands(update, all, index);
    operands.rate = rate;
    operands.step = step;
    builder.setLoc(NameLoc::get(builder.getStringAttr(parameter.getSymName() + ".update")));
    SmallVector<Value> results = spec.kind->build(builder, spec, operands);
    parameters.push_back(results.front());
    llvm::append_range(states, llvm::drop_begin(results));
  }
  builder.setLoc(update.getLoc());
  llvm::append_range(parameters, states);
  func::ReturnOp::create(builder, parameters);
  makeNamesUnique(&update.getBody().front().front());
}

static LogicalResult buildUpdate(ModuleOp module, const OptimizerSpec &spec) {
  func::FuncOp section =
      findFunction(module, forwardBackwardName, "run --autodiff-differentiate first");
  if (!section)
    return failure();
  if (Operation *existing = module.lookupSymbol(updateName))
    return existing->emitError() << "the module has an '" << updateName << "' already";
  FailureOr<SmallVector<Trained>> trained = findTrained(section);
  if (failed(trained))
    return failure();
  for (Trained &one : *trained)
    if (failed(declareStates(one, *spec.kind)))
      return failure();
  fillUpdate(declareUpdate(section, *trained, spec.takesStep()), *trained, spec);
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
    if (failed(buildUpdate(getOperation(), *spec)))
      signalPassFailure();
  }
};

} // namespace pcc::autodiff
