// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits functions that return gradients first and functions that take them last, so a gradient is
// decided where it is produced. In a function, propagation runs twice: from the given shardings,
// then from inputs that it did not reach, split along the batch.
#include "passes/strategy/propagate/ShardingAnnotator.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/OptimizerState.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/reshard/ReshardPlan.h"
#include "runtime/abi/Limits.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;
using pcc::analysis::Reasons;
using pcc::dist::AxisList;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace pcc::strategy {
namespace {

/// Returns the axes, among those from `first` on, whose product is the largest that divides `size`.
/// On a tie the first ones win.
AxisList findLargestDivisor(const dist::Mesh &mesh, int64_t size, unsigned first = 0) {
  AxisList best;
  for (unsigned index = first; index < mesh.getAxes().size(); ++index) {
    const dist::MeshAxis &axis = mesh.getAxes()[index];
    if (size % axis.size)
      continue;
    AxisList list = findLargestDivisor(mesh, size / axis.size, index + 1);
    list.insert(list.begin(), axis.name);
    if (mesh.getSize(list) > mesh.getSize(best))
      best = std::move(list);
  }
  return best;
}

/// Returns `attributes`, which may be null, with one attribute set.
DictionaryAttr with(MLIRContext *context, DictionaryAttr attributes, StringRef name,
                    Attribute value) {
  NamedAttrList list(attributes);
  list.set(name, value);
  return list.getDictionary(context);
}

DictionaryAttr withSharding(MLIRContext *context, DictionaryAttr attributes,
                            const Sharding &sharding) {
  return with(context, attributes, dist::shardingAttrName,
              dist::ShardingAttr::get(context, sharding));
}

} // namespace

// Dialects see no file of the runtime, so the number stands in two places.
static_assert(dist::maxRanks == abi::maxRanks);

LogicalResult checkNumRanks(ModuleOp module, int64_t numRanks) {
  if (numRanks >= 1 && numRanks <= dist::maxRanks)
    return success();
  return module.emitError() << "expected 1 to " << dist::maxRanks << " ranks, got " << numRanks;
}

Sharding splitBatch(ArrayRef<int64_t> shape, const dist::Mesh &mesh) {
  Sharding sharding = Sharding::replicated(shape.size());
  if (!shape.empty())
    sharding.getDim(0) = findLargestDivisor(mesh, shape.front());
  return sharding;
}

void SeedShardings::set(graph::RoleAttr role, const Sharding &sharding, const Reasons &reasons) {
  StringRef name = graph::getName(role);
  if (role.getKind() == RoleKind::Parameter) {
    parameters[name] = sharding;
    why.parameters.try_emplace(name, reasons);
  } else if (role.getKind() == RoleKind::Gradient) {
    gradients[name] = sharding;
    why.gradients.try_emplace(name, reasons);
  } else if (role.getKind() == RoleKind::Input) {
    inputs[name] = fed[name] = sharding;
    why.inputs.try_emplace(name, reasons);
  }
}

void ShardingAnnotator::run() {
  auto rank = [](func::FuncOp function) {
    if (!graph::findArgs(function, RoleKind::Gradient).empty())
      return 2;
    return graph::findResults(function, RoleKind::Gradient).empty() ? 1 : 0;
  };
  for (int wanted : {0, 1, 2})
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && rank(function) == wanted)
        annotate(function);
}

void ShardingAnnotator::annotate(func::FuncOp function) {
  Propagation propagation(function, planCache);
  seedArguments(function, propagation);
  for (Operation &op : function.getBody().front())
    if (auto found = given.ops.find(&op); found != given.ops.end())
      seed(&op, found->second, propagation);
  if (graph::findArgs(function, RoleKind::Gradient).empty())
    seedTrained(function, propagation);
  propagation.run();
  splitBatch(function, propagation);
  propagation.run();
  propagation.finish();
  keepParameters(function, propagation);
  if (!graph::findResults(function, RoleKind::Gradient).empty())
    keepTrained(function, propagation);
  propagation.annotate();
  annotateArguments(function, propagation);
  annotateResults(function, propagation);
  remarkOfFactors(function);
}

void ShardingAnnotator::seed(Operation *op, const GivenOp &given, Propagation &propagation) {
  if (given.exact)
    propagation.seed(op, *given.exact, given.results,
                     given.factors.empty() ? Origin::Searched : Origin::Given, given.why);
  else
    propagation.seed(op, given.factors, given.results, given.why);
}

void ShardingAnnotator::keepTrained(func::FuncOp function, const Propagation &propagation) {
  analysis::forEachNumbered(function, [&](Operation *op, StringRef name, unsigned number) {
    if (const OpSharding *sharding = propagation.find(op))
      trained.try_emplace({name.str(), number},
                          TrainedOp{op, *sharding, propagation.getReasons(op->getResult(0))});
  });
}

/// Whether both ops compute the same from values of the same types.
static bool isSameWork(Operation *lhs, Operation *rhs) {
  return lhs->getName() == rhs->getName() && lhs->getOperandTypes() == rhs->getOperandTypes() &&
         lhs->getResultTypes() == rhs->getResultTypes() &&
         lhs->getName().compareOpProperties(lhs->getPropertiesStorage(),
                                            rhs->getPropertiesStorage());
}

/// Seeds the ops of an evaluation with the shardings of the training step's, unless they are given.
void ShardingAnnotator::seedTrained(func::FuncOp function, Propagation &propagation) const {
  analysis::forEachNumbered(function, [&](Operation *op, StringRef name, unsigned number) {
    auto found = trained.find({name.str(), number});
    if (found != trained.end() && !given.ops.contains(op) && isSameWork(op, found->second.op))
      propagation.seed(op, found->second.sharding, {}, Origin::Trained, found->second.why);
  });
}

/// Seeds parameters and inputs that are given or were decided in an earlier function, gradients as
/// they were produced, and scalars as replicated.
void ShardingAnnotator::seedArguments(func::FuncOp function, Propagation &propagation) const {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
    auto seedFrom = [&](const llvm::StringMap<Sharding> &known,
                        const llvm::StringMap<Reasons> &why) {
      StringRef name = graph::getName(role);
      if (auto found = known.find(name); found != known.end())
        propagation.seed(argument, found->second, why.lookup(name));
    };
    if (role && role.getKind() == RoleKind::Parameter)
      seedFrom(given.parameters, given.why.parameters);
    else if (role && role.getKind() == RoleKind::Gradient)
      seedFrom(given.gradients, given.why.gradients);
    else if (role && role.getKind() == RoleKind::Input)
      seedFrom(given.inputs, given.why.inputs);
    else if (role && role.getKind() == RoleKind::Loss && loss)
      propagation.seed(argument, *loss);
    if (type && type.getRank() == 0 && !propagation.isKnown(argument))
      propagation.seed(argument, Sharding::replicated(0));
  }
}

/// Splits inputs that propagation has not reached along the batch.
void ShardingAnnotator::splitBatch(func::FuncOp function, Propagation &propagation) const {
  for (unsigned index : graph::findArgs(function, RoleKind::Input)) {
    BlockArgument argument = function.getArgument(index);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || propagation.isKnown(argument))
      continue;
    Sharding sharding = strategy::splitBatch(type.getShape(), mesh);
    int64_t ranks = sharding.getShardCount(0, mesh);
    propagation.seed(
        argument, sharding,
        Reasons::makeWhole(function.getContext(),
                           "the ranks split the batch of " + analysis::describeValue(argument)));
    remark::passed(function.getLoc(), remark::RemarkOpts::name("split-batch").category("strategy"))
        << remark::metric("input", graph::getName(graph::getArgRole(function, index)))
        << remark::metric("batch", type.getDimSize(0)) << remark::metric("ranks", ranks)
        << remark::metric("samples_per_rank", type.getDimSize(0) / ranks);
  }
}

void ShardingAnnotator::keepParameters(func::FuncOp function, const Propagation &propagation) {
  for (unsigned index : graph::findArgs(function, RoleKind::Parameter)) {
    StringRef name = graph::getName(graph::getArgRole(function, index));
    BlockArgument argument = function.getArgument(index);
    if (given.parameters.try_emplace(name, propagation.getSharding(argument)).second)
      given.why.parameters[name] = propagation.getReasons(argument);
  }
}

/// Returns the sharding in which `input` is fed if the ops take it in `wanted`. This is the given
/// sharding if there is one, else the cut of `wanted` along the batch, or replicated.
Sharding ShardingAnnotator::getFed(StringRef input, const Sharding &wanted) const {
  if (auto found = given.fed.find(input); found != given.fed.end())
    return found->second;
  if (given.inputs.contains(input))
    return wanted;
  Sharding fed = Sharding::replicated(wanted.getRank());
  if (!given.fullBatch && fed.getRank() > 0)
    fed.getDim(0) = wanted.getDim(0);
  return fed;
}

/// Returns why `input` is fed in the sharding `fed`.
Reasons ShardingAnnotator::explainFed(StringRef input, const Sharding &fed,
                                      const Propagation &propagation,
                                      BlockArgument argument) const {
  if (given.fed.contains(input) || given.inputs.contains(input))
    return given.why.inputs.lookup(input);
  if (fed.isSplit())
    return propagation.getReasons(argument);
  return Reasons::makeWhole(argument.getContext(),
                            given.fullBatch ? "full_batch: each rank is fed the whole batch"
                                            : "inputs are fed along the batch only");
}

/// Annotates inputs with the sharding in which they are fed, and other arguments with the sharding
/// in which the ops take them. Sets all attributes at once, because a function stores them in one
/// attribute.
void ShardingAnnotator::annotateArguments(func::FuncOp function,
                                          const Propagation &propagation) const {
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  for (BlockArgument argument : function.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    Sharding sharding = propagation.getSharding(argument);
    Reasons why = propagation.getReasons(argument);
    graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
    if (role && role.getKind() == RoleKind::Input) {
      Sharding fed = getFed(graph::getName(role), sharding);
      if (fed != sharding)
        why = explainFed(graph::getName(role), fed, propagation, argument);
      sharding = fed;
    }
    DictionaryAttr &held = attributes[argument.getArgNumber()];
    held = withSharding(function.getContext(), held, sharding);
    why.annotate(argument);
  }
  function.setAllArgAttrs(attributes);
}

void ShardingAnnotator::annotateResults(func::FuncOp function, const Propagation &propagation) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<DictionaryAttr> attributes;
  function.getAllResultAttrs(attributes);
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Sharding sharding = propagation.getUserSharding(value);
    if (sharding.getPartialKind() != ReduceKind::Sum || !staysPartial(function, index))
      sharding = sharding.withoutPartial();
    graph::RoleAttr role = graph::getResultRole(function, index);
    StringRef name = graph::getName(role);
    if (role && role.getKind() == RoleKind::Parameter)
      sharding = given.parameters.lookup(name);
    else if (role && role.getKind() == RoleKind::Gradient)
      sharding = annotateGradient(function, name, sharding, propagation.getReasons(value),
                                  attributes[index]);
    else if (role && role.getKind() == RoleKind::Loss && !loss)
      loss = sharding;
    attributes[index] = withSharding(function.getContext(), attributes[index], sharding);
  }
  function.setAllResultAttrs(attributes);
}

/// Returns whether the "gradient" of this name is a number of the training that is accumulated like
/// one, for a state. No option scales it.
bool ShardingAnnotator::isState(StringRef name) {
  auto parameter = module.lookupSymbol<graph::ParameterOp>(name);
  return parameter && parameter->hasAttr(graph::stateOfName);
}

/// Says whether the gradients that `function` returns differ from those of one device.
void ShardingAnnotator::remarkOfFactors(func::FuncOp function) {
  size_t gradients = 0;
  SmallVector<double> factors;
  for (unsigned index : graph::findResults(function, RoleKind::Gradient)) {
    gradients += !isState(graph::getName(graph::getResultRole(function, index)));
    if (auto factor = function.getResultAttrOfType<FloatAttr>(index, dist::gradientFactorAttrName))
      factors.push_back(factor.getValueAsDouble());
  }
  if (factors.empty())
    return;
  auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  std::string range = llvm::formatv("{0:f3}", *least);
  if (*least != *most)
    range += llvm::formatv(" to {0:f3}", *most);
  mlir::emitRemark(module->getLoc()) << factors.size() << " of " << gradients
                                     << " gradients are those of one device multiplied by " << range
                                     << ": " << given.gradientRemedy;
}

/// Returns the sharding of a gradient: the given one, or the one in which the backward pass
/// produced it. Adds the gradient factor to the attributes of the result.
Sharding ShardingAnnotator::annotateGradient(func::FuncOp function, StringRef name,
                                             const Sharding &made, const Reasons &why,
                                             DictionaryAttr &attributes) {
  Sharding sharding = given.gradients.try_emplace(name, made).first->second;
  given.why.gradients.try_emplace(name, why);
  double factor = isState(name) ? 1 : given.gradientFactor(name, sharding, mesh);
  if (factor != 1)
    attributes = with(function.getContext(), attributes, dist::gradientFactorAttrName,
                      Builder(function.getContext()).getF64FloatAttr(factor));
  remark::passed(function.getLoc(), remark::RemarkOpts::name("gradient").category("strategy"))
      << remark::metric("parameter", name) << remark::metric("sharding", sharding.str())
      << remark::metric("factor", factor);
  return sharding;
}

} // namespace pcc::strategy
