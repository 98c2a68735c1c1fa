// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse-mode differentiation: walks the ops of the loss function backwards. Each op's rule
// (Derivatives.h) turns the gradients of its results into gradients of its operands. A value used
// more than once sums the gradients of its uses. Gradients are built only on the way from the loss
// to a trainable parameter, never for data. Assumes one block and a scalar loss. Leaves
// @forward_backward: forward ops come first and backward ops follow, each named after its forward
// op (NAME.grad, NAME.grad_weight).
#include "dialects/dist/Dist.h"
#include "dialects/graph/StopGradient.h"
#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/autodiff/Names.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "passes/autodiff/TrainingState.h"
#include "passes/autodiff/derivatives/Derivatives.h"
#include "passes/autodiff/reverse/Activity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace pcc::autodiff {

// Walks the ops of one block for reverse-mode differentiation.

namespace {

/// Visits the ops of a block backwards and builds their backward ops before the terminator. Every
/// op that a gradient must pass has a derivative (Activity::withoutDerivative is empty).
class ReverseWalk {
public:
  ReverseWalk(mlir::Block &block, const Activity &activity);

  /// Builds the gradients of `loss`, a float scalar, with respect to all active values. `seed` is
  /// the gradient of the loss itself.
  void run(mlir::Value loss, mlir::Value seed);

  /// Returns the sum of the gradients that the uses of `value` gave, null for none.
  mlir::Value gradientOf(mlir::Value value);

private:
  void visit(mlir::Operation *op);

  const Activity &activity;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Operation *> forwardOps;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 1>> contributions;
};

} // namespace

ReverseWalk::ReverseWalk(Block &block, const Activity &activity)
    : activity(activity), builder(block.getTerminator()) {
  for (Operation &op : block.without_terminator())
    forwardOps.push_back(&op);
}

Value ReverseWalk::gradientOf(Value value) {
  auto found = contributions.find(value);
  if (found == contributions.end())
    return {};
  SmallVector<Value, 1> &parts = found->second;
  for (Value part : llvm::drop_begin(parts))
    parts[0] = graph::AddOp::create(builder, derivedLocation(value, "grad_sum"), parts[0], part);
  parts.truncate(1);
  return parts[0];
}

void ReverseWalk::visit(Operation *op) {
  if (!activity.isActive(op))
    return;
  auto gradients = llvm::map_to_vector(op->getResults(), [&](Value r) { return gradientOf(r); });
  auto wanted = llvm::map_to_vector(op->getOperands(),
                                    [&](Value operand) { return activity.isActive(operand); });
  // A transfer sends or receives on every rank, even if no gradient has arrived.
  bool isTransfer = isa<dist::SendOp, dist::RecvOp>(op);
  if (!isTransfer && (llvm::none_of(gradients, [](Value v) { return bool(v); }) ||
                      !llvm::is_contained(wanted, true)))
    return;
  Backward backward(builder, op, gradients, wanted);
  getDerivativeTable().lookup(op->getName().getStringRef())->rule(backward);
  for (auto [operand, want, given] :
       llvm::zip(op->getOperands(), wanted, backward.operandGradients()))
    if (want && given)
      contributions[operand].push_back(given);
}

void ReverseWalk::run(Value loss, Value seed) {
  contributions[loss].push_back(seed);
  for (Operation *op : llvm::reverse(forwardOps))
    visit(op);
}

#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/autodiff/Passes.h.inc"

/// Returns @forward_loss, or @forward if that yields a loss itself; null after an error.
static func::FuncOp findSource(ModuleOp module) {
  if (auto existing = module.lookupSymbol(forwardBackwardName)) {
    existing->emitError() << "the model is differentiated already, in '" << forwardBackwardName
                          << "'";
    return {};
  }
  if (module.lookupSymbol(forwardLossName))
    return findFunction(module, forwardLossName, "");
  func::FuncOp forward = findFunction(module, forwardName, "import a model first");
  if (!forward)
    return {};
  if (graph::findResults(forward, graph::RoleKind::Loss).empty()) {
    forward.emitError() << "expected a result with the role of a loss; attach one with "
                           "'--loss', as in '--loss=softmax_cross_entropy'";
    return {};
  }
  return forward;
}

/// Returns the index of the only loss among the results.
static FailureOr<unsigned> getLossIndex(func::FuncOp function) {
  SmallVector<unsigned> losses = graph::findResults(function, graph::RoleKind::Loss);
  if (losses.size() != 1)
    return function.emitError() << "expected one result with the role of a loss, got "
                                << losses.size();
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[losses[0]]);
  if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
    return function.emitError() << "expected a float scalar as loss, got "
                                << function.getResultTypes()[losses[0]];
  return losses[0];
}

/// Returns the arguments that are declared as trainable parameters. Parameters without float
/// elements have no gradient.
static FailureOr<SmallVector<BlockArgument>> getTrainable(func::FuncOp function) {
  SmallVector<BlockArgument> trainable;
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  for (unsigned index : graph::findArgs(function, graph::RoleKind::Parameter)) {
    StringRef name = graph::getName(graph::getArgRole(function, index));
    auto declaration = symbols.lookup<graph::ParameterOp>(name);
    if (!declaration)
      return function.emitError() << "argument #" << index << " is parameter '" << name
                                  << "', which no graph.parameter declares";
    BlockArgument argument = function.getArgument(index);
    RankedTensorType type =
        typeInside(function, declaration.getTensorType(), shardingOfArgument(function, index));
    if (argument.getType() != type)
      return function.emitError() << "argument #" << index << " is parameter '" << name
                                  << "': expected its declared type " << type << ", got "
                                  << argument.getType();
    if (declaration.getTrainable() && isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      trainable.push_back(argument);
  }
  if (trainable.empty())
    return function.emitError() << "expected at least one trainable parameter";
  return trainable;
}

/// Returns those of `parameters` from which the loss is computed. The optimizer leaves the others
/// alone, as torch does: it would shrink them if it decays weights. A parameter and its copies are
/// updated together.
static FailureOr<SmallVector<BlockArgument>>
keepReaching(func::FuncOp function, ArrayRef<BlockArgument> parameters, Value loss) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  auto declarationOf = [&](BlockArgument argument) {
    return symbols.lookup<graph::ParameterOp>(
        graph::getName(graph::getArgRole(function, argument.getArgNumber())));
  };
  auto ownerOf = [&](BlockArgument argument) {
    graph::ParameterOp parameter = declarationOf(argument);
    auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName);
    return owner ? owner.getValue() : parameter.getSymName();
  };
  llvm::DenseSet<Value> sources = findFloatSources(function.getBody().front(), loss);
  llvm::StringSet<> owners;
  for (BlockArgument argument : parameters)
    if (sources.contains(argument))
      owners.insert(ownerOf(argument));
  SmallVector<BlockArgument> kept;
  for (BlockArgument argument : parameters) {
    if (owners.contains(ownerOf(argument))) {
      kept.push_back(argument);
      continue;
    }
    graph::ParameterOp parameter = declarationOf(argument);
    parameter.setTrainable(false);
    function.emitWarning() << "parameter '" << parameter.getSymName()
                           << "' does not influence the loss; it is not trained";
  }
  if (kept.empty())
    return function.emitError() << "expected a trainable parameter that influences the loss";
  return kept;
}

/// Reports one error per op without a derivative that a gradient must pass.
static LogicalResult checkDerivatives(const Activity &activity) {
  for (Operation *op : activity.withoutDerivative()) {
    const Derivative *row = getDerivativeTable().lookup(op->getName().getStringRef());
    InFlightDiagnostic error = op->emitError() << "no derivative of '" << op->getName() << "'";
    if (StringRef name = analysis::getName(op->getLoc()); !name.empty())
      error << " for op '" << name << "'";
    if (row)
      error << ": " << row->findObstacle(op);
  }
  return success(activity.withoutDerivative().empty());
}

/// Returns the gradient of parameter `argument` as the section yields it: f32 if `isWide`. It
/// is zero, with a warning, behind ops whose derivative is zero.
static Value finishGradient(ReverseWalk &walk, OpBuilder &builder, func::FuncOp function,
                            BlockArgument argument, bool isWide) {
  Location loc = derivedLocation(argument, "grad");
  auto type = cast<RankedTensorType>(argument.getType());
  if (isWide)
    type = accumulatedType(type);
  Value gradient = walk.gradientOf(argument);
  if (!gradient) {
    function.emitWarning() << "parameter '"
                           << graph::getName(graph::getArgRole(function, argument.getArgNumber()))
                           << "' influences the loss only through steps; its gradient is zero";
    return graph::ConstantOp::create(builder, loc, type, 0.0);
  }
  if (gradient.getType() == type)
    return gradient;
  // Right behind the gradient, so that its sum over the ranks starts while the pass goes on, and
  // whole gradients do not stay in memory.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(gradient);
  return graph::CastOp::create(builder, loc, type, gradient);
}

/// Adds the gradients after the loss, which is the first result.
static void returnGradients(func::FuncOp function, ArrayRef<BlockArgument> trainable,
                            ArrayRef<Value> gradients) {
  getReturn(function)->insertOperands(1, gradients);
  for (auto [index, argument] : llvm::enumerate(trainable)) {
    StringRef name = graph::getName(graph::getArgRole(function, argument.getArgNumber()));
    LogicalResult inserted = function.insertResult(
        1 + index, gradients[index].getType(),
        roleAttributes(function.getContext(), graph::RoleKind::Gradient, name,
                       shardingOfArgument(function, argument.getArgNumber())));
    assert(succeeded(inserted) && "a position behind the loss is legal");
    (void)inserted;
  }
}

/// Erases ops that only served the outputs, or a gradient that nothing reads.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Removes the ops that only stopped gradients.
static void eraseGradientStops(Block &block) {
  for (auto clamp : llvm::make_early_inc_range(block.getOps<graph::ClampOp>()))
    if (clamp->hasAttr(graph::stopGradientAttrName)) {
      clamp.getResult().replaceAllUsesWith(clamp.getInput());
      clamp.erase();
    }
}

/// The problem of differentiation: the loss with respect to the trainable parameters.
struct Problem {
  func::FuncOp function;
  unsigned lossIndex;
  SmallVector<BlockArgument> trainable;

  Value getLoss() { return getReturn(function).getOperand(lossIndex); }
  Activity getActivity() {
    SmallVector<Value> sources(trainable.begin(), trainable.end());
    return Activity(function.getBody().front(), sources, getLoss());
  }
};

static FailureOr<Problem> findProblem(ModuleOp module) {
  func::FuncOp source = findSource(module);
  if (!source)
    return failure();
  FailureOr<unsigned> lossIndex = getLossIndex(source);
  if (failed(lossIndex))
    return failure();
  FailureOr<SmallVector<BlockArgument>> trainable = getTrainable(source);
  if (failed(trainable))
    return failure();
  trainable = keepReaching(source, *trainable, getReturn(source).getOperand(*lossIndex));
  if (failed(trainable))
    return failure();
  Problem problem{source, *lossIndex, *trainable};
  if (failed(checkDerivatives(problem.getActivity())))
    return failure();
  return problem;
}

/// Gives the function of `problem` its new name. @forward itself stays; a copy of it is taken.
static Problem takeOver(Problem problem) {
  func::FuncOp function = problem.function;
  if (function.getName() == forwardName) {
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    function = cast<func::FuncOp>(builder.clone(*function));
  }
  function.setName(forwardBackwardName);
  SmallVector<BlockArgument> trainable;
  for (BlockArgument argument : problem.trainable)
    trainable.push_back(function.getArgument(argument.getArgNumber()));
  return {function, problem.lossIndex, trainable};
}

/// Makes the gradient of the loss, the loss scale: a constant, or a parameter if it is dynamic.
static Value makeSeed(func::FuncOp function, Value loss, double scale, bool isDynamic) {
  Location loc = derivedLocation(loss, "grad");
  OpBuilder builder(getReturn(function));
  auto type = cast<RankedTensorType>(loss.getType());
  if (!isDynamic)
    return graph::ConstantOp::create(builder, loc, type, scale);
  Value scaleArgument = insertArgument(
      function, function.getNumArguments(), RankedTensorType::get({}, builder.getF32Type()),
      graph::RoleKind::Parameter, getStateName(TrainingState::Scale), loc);
  return graph::DecompositionBuilder(loc, builder).castTo(scaleArgument, type.getElementType());
}

static void differentiate(Problem problem, const DifferentiateOptions &options) {
  func::FuncOp function = problem.function;
  Block &block = function.getBody().front();
  returnLoss(function, problem.getLoss(), boundaryOfResult(function, problem.lossIndex));
  problem.lossIndex = 0;
  eraseDeadOps(block);
  Operation *lastForward = getReturn(function)->getPrevNode();

  Activity activity = problem.getActivity();
  ReverseWalk walk(block, activity);
  walk.run(problem.getLoss(),
           makeSeed(function, problem.getLoss(), options.lossScale, options.dynamicLossScale));
  OpBuilder builder(getReturn(function));
  SmallVector<Value> gradients;
  for (BlockArgument parameter : problem.trainable)
    gradients.push_back(finishGradient(walk, builder, function, parameter, options.wideGradients));
  returnGradients(function, problem.trainable, gradients);
  eraseDeadOps(block);
  makeNamesUnique(lastForward ? lastForward->getNextNode() : &block.front());
  eraseGradientStops(block);
}

struct Differentiate : impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    FailureOr<Problem> problem = findProblem(getOperation());
    if (failed(problem))
      return signalPassFailure();
    if (dynamicLossScale &&
        failed(declareTrainingState(problem->function, TrainingState::Scale, lossScale,
                                    findLossStage(problem->function))))
      return signalPassFailure();
    differentiate(takeOver(*problem), {wideGradients, lossScale, dynamicLossScale});
  }
};

} // namespace pcc::autodiff
