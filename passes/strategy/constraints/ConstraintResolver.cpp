// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches users' constraints first and loaded ones last, so users' constraints hold. A name may
// belong to several ops of one imported node. The strategy goes to the op that fits it and has the
// most flops. Last, one mesh is refined for all matched counts, and these are translated to its
// axes in a fixed order.
#include "passes/strategy/constraints/ConstraintResolver.h"

#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ThreadDiagnostics.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/strategy/constraints/GivenTensor.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace pcc::strategy {
namespace {

//===-- Targets of constraints ---------------------------------------------------------------===//

/// Whether `cuts` has as many tensors as `values`, and each cut the rank of its tensor. `find`
/// returns the tensor that a cut describes.
bool fits(const std::optional<GivenCuts> &cuts, ValueRange values,
          function_ref<GivenTensor(Value value, size_t index)> find) {
  if (!cuts)
    return true;
  if (getNumTensors(*cuts) != values.size())
    return false;
  for (auto [index, value] : llvm::enumerate(values))
    if (!isa<RankedTensorType>(value.getType()) ||
        find(value, index).type.getRank() != getRank(*cuts, index))
      return false;
  return true;
}

bool fits(const ShardingConstraint &constraint, Operation *op) {
  GivenStrategy given = constraint.getStrategy();
  if (hasBiasEntry(op, given))
    given = withoutBiasEntry(given);
  auto findOperand = [&](Value value, size_t index) {
    return findGivenTensor(value, *given.in, index);
  };
  auto findResult = [](Value value, size_t) { return makeGivenTensor(value); };
  return fits(given.in, op->getOperands(), findOperand) &&
         fits(given.out, op->getResults(), findResult);
}

/// Whether the constraint names the op itself. A backward op with the forward op's name does not
/// match.
bool matches(const ShardingConstraint &constraint, Operation *op) {
  bool isMatched = false;
  for (StringRef name : analysis::getNames(op))
    isMatched |= constraint.matches(name);
  if (!isMatched)
    return false;
  std::optional<StringRef> origin = analysis::getDerivedFrom(op);
  return !origin || constraint.getTarget() == ConstraintKind::OpName ||
         !constraint.matches(*origin);
}

/// Whether constraints apply to the ops of `function`. The ops of an update follow from other
/// sections.
bool takesConstraints(func::FuncOp function) {
  return !function.isDeclaration() && graph::findArgs(function, RoleKind::Gradient).empty();
}

/// Whether a loaded entry names the tensor itself while the `other` loaded entry names its owner.
/// The copies of a parameter have entries of their own.
bool overrides(const ShardingConstraint &entry, const ShardingConstraint &other, StringRef name) {
  return entry.isRestored() && other.isRestored() && entry.matches(name) && !other.matches(name);
}

} // namespace

LogicalResult ConstraintResolver::requestOp(const ShardingConstraint &constraint, Operation *op) {
  if (auto found = ops.find(op); found != ops.end()) {
    const ShardingConstraint &other = *found->second.constraint;
    if (constraint.isRestored() || other.getStrategy() == constraint.getStrategy()) {
      if (!constraint.isRestored())
        found->second.others.push_back(&constraint);
      return success();
    }
    return op->emitError() << "\"" << analysis::getName(op) << "\" is given two strategies, by "
                           << other.describe() << " and by " << constraint.describe();
  }
  GivenStrategy given = constraint.getStrategy();
  if (hasBiasEntry(op, given)) {
    if (std::string error = checkBiasEntry(op, given); !error.empty())
      return op->emitError() << "strategy of \"" << analysis::getName(op) << "\", by "
                             << constraint.describe() << ": " << error;
    given = withoutBiasEntry(given);
  }
  FailureOr<CheckedStrategy> checked = checkStrategy(op, given, mesh, numRanks);
  if (failed(checked))
    return failure();
  ops[op] = {&constraint, std::move(*checked)};
  return success();
}

void ConstraintResolver::indexOps() {
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!takesConstraints(function))
      continue;
    for (Operation &op : function.getBody().front()) {
      if (!isa<FactorRuleOpInterface>(op))
        continue;
      allOps.push_back(&op);
      for (StringRef name : analysis::getNames(&op))
        opsByName[name].push_back(&op);
    }
  }
}

/// An imported node may have become several ops of its name. In each block the op that fits and has
/// the most flops is chosen.
SmallVector<Operation *> ConstraintResolver::findOps(const ShardingConstraint &constraint) {
  if (allOps.empty())
    indexOps();
  ArrayRef<Operation *> candidates = allOps;
  if (constraint.getTarget() == ConstraintKind::OpName)
    candidates = opsByName[constraint.getPattern()];
  llvm::MapVector<std::pair<Block *, StringRef>, Operation *> best;
  for (Operation *op : candidates) {
    if (!matches(constraint, op))
      continue;
    Operation *&held = best[{op->getBlock(), analysis::getName(op)}];
    auto rank = [&](Operation *op) {
      return std::make_pair(fits(constraint, op), analysis::costOf(op).flops);
    };
    if (!held || rank(op) > rank(held))
      held = op;
  }
  return llvm::map_to_vector(best, [](auto &entry) { return entry.second; });
}

/// Requests the strategy for all matching ops, or only for those that fit if any fits. If none
/// fits, the checks report the reason.
LogicalResult ConstraintResolver::matchOps(const ShardingConstraint &constraint) {
  SmallVector<Operation *> matched = findOps(constraint);
  if (matched.empty())
    return constraint.refuseUnmatched(module);
  bool fitsAny = llvm::any_of(matched, [&](Operation *op) { return fits(constraint, op); });
  for (Operation *op : matched)
    if ((!fitsAny || fits(constraint, op)) && failed(requestOp(constraint, op)))
      return failure();
  return success();
}

LogicalResult ConstraintResolver::requestTensor(const ShardingConstraint &constraint,
                                                StringRef name, RankedTensorType type,
                                                TensorRequests &requests) {
  auto found = requests.find(name);
  if (found != requests.end() && !overrides(constraint, *found->second.constraint, name)) {
    const ShardingConstraint &other = *found->second.constraint;
    if (constraint.isRestored() || other.getStrategy() == constraint.getStrategy()) {
      if (!constraint.isRestored())
        found->second.others.push_back(&constraint);
      return success();
    }
    return module.emitError() << "\"" << name << "\" is given two shardings, by "
                              << other.describe() << " and by " << constraint.describe();
  }
  FailureOr<std::vector<Cuts>> checked = checkIndependentTensors(
      constraint.getSharding(), {"tensor", {type.getShape()}, {"it"}}, mesh, numRanks,
      [&] { return module.emitError() << "sharding of \"" << name << "\": "; });
  if (failed(checked))
    return failure();
  requests[name] = {&constraint, std::move(checked->front())};
  return success();
}

LogicalResult ConstraintResolver::matchTensors(const ShardingConstraint &constraint) {
  bool meansParameters = constraint.getTarget() == ConstraintKind::Parameter;
  SmallVector<std::pair<StringRef, Type>> matched;
  if (meansParameters) {
    for (auto parameter : module.getOps<graph::ParameterOp>()) {
      // A constraint on a tensor of the file applies to each of its pieces. A constraint on a
      // parameter applies to its copies in other virtual stages.
      std::optional<graph::ParameterPart> piece = graph::getParameterPart(parameter);
      auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName);
      if (constraint.matches(parameter.getSymName()) ||
          (piece && constraint.matches(piece->whole)) ||
          (owner && constraint.matches(owner.getValue())))
        matched.push_back({parameter.getSymName(), parameter.getTensorType()});
    }
  } else {
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      for (unsigned index : graph::findArgs(function, RoleKind::Input)) {
        StringRef name = graph::getName(graph::getArgRole(function, index));
        if (!name.empty() && constraint.matches(name))
          matched.push_back({name, function.getArgumentTypes()[index]});
      }
  }
  for (auto [name, type] : matched)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (failed(requestTensor(constraint, name, tensor, meansParameters ? parameters : inputs)))
        return failure();
  if (!matched.empty())
    return success();
  return constraint.refuseUnmatched(module, meansParameters ? "parameter" : "input");
}

/// Ignores ops of sections that take gradients: they follow by propagation here as well.
LogicalResult ConstraintResolver::matchExact(const ShardingConstraint &constraint) {
  if (exactNames.empty())
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      analysis::forEachNumbered(function, [&](Operation *op, StringRef name, unsigned number) {
        exactNames[analysis::makeExactName(function.getSymName(), name, number)] = op;
      });
  Operation *op = exactNames.lookup(constraint.getPattern());
  if (!op || !isa<FactorRuleOpInterface>(op))
    return constraint.refuseUnmatched(module);
  if (!takesConstraints(op->getParentOfType<func::FuncOp>()))
    return success();
  return requestOp(constraint, op);
}

LogicalResult ConstraintResolver::match(const ShardingConstraint &constraint) {
  if (constraint.isOfTensor())
    return matchTensors(constraint);
  return constraint.getTarget() == ConstraintKind::OpExact ? matchExact(constraint)
                                                           : matchOps(constraint);
}

void ConstraintResolver::tryMatch(const ShardingConstraint &constraint) {
  std::string reason;
  {
    analysis::ThreadDiagnostics reasons(module.getContext(),
                                        [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
    (void)match(constraint);
  }
  if (!reason.empty())
    remark::missed(module.getLoc(), remark::RemarkOpts::name("reuse").category("strategy"))
        << remark::metric("entry", constraint.getPattern()) << remark::reason("{0}", reason);
}

LogicalResult ConstraintResolver::match(ArrayRef<ShardingConstraint> constraints) {
  for (bool isRestored : {false, true})
    for (const ShardingConstraint &constraint : constraints) {
      if (constraint.isRestored() != isRestored)
        continue;
      if (constraint.isOptional())
        tryMatch(constraint);
      else if (failed(match(constraint)))
        return failure();
    }
  return success();
}

/// Fails if dataset_strategy cuts an input that has a user's constraint, because the constraint
/// already determines how the input is fed.
LogicalResult ConstraintResolver::feed(StringRef datasetStrategy) {
  FailureOr<FedInputs> read = readDatasetStrategy(module, datasetStrategy, mesh, numRanks);
  if (failed(read))
    return failure();
  for (const auto &[name, request] : inputs)
    if (!request.constraint->isRestored() && read->contains(name))
      return module.emitError() << "\"" << name << "\" is given two shardings, by "
                                << request.constraint->describe() << " and by dataset_strategy";
  fed = std::move(*read);
  return success();
}

void ConstraintResolver::spanBatch(int64_t parts) {
  given = Mesh(dist::MeshAxis{dist::batchAxisName.str(), numRanks});
  batch = DeviceMatrix{parts};
}

std::vector<ConstraintTargets>
ConstraintResolver::listTargets(ArrayRef<ShardingConstraint> constraints) const {
  std::vector<ConstraintTargets> targets;
  llvm::DenseMap<const ShardingConstraint *, size_t> places;
  ConstraintTargets restored{"the loaded strategy", /*isRestored=*/true, {}, {}, {}};
  for (const ShardingConstraint &constraint : constraints)
    if (!constraint.isRestored()) {
      places[&constraint] = targets.size();
      targets.push_back({constraint.describe(), false, {}, {}, {}});
    }
  auto forEachTarget = [&](const auto &request, auto add) {
    add(request.constraint->isRestored() ? restored : targets[places.lookup(request.constraint)]);
    for (const ShardingConstraint *other : request.others)
      add(targets[places.lookup(other)]);
  };
  for (const auto &[op, request] : ops)
    forEachTarget(request, [op = op](ConstraintTargets &target) { target.ops.push_back(op); });
  for (const auto &[name, request] : parameters)
    forEachTarget(request, [name = name](ConstraintTargets &target) {
      target.parameters.push_back(name.str());
    });
  for (const auto &[name, request] : inputs)
    forEachTarget(
        request, [name = name](ConstraintTargets &target) { target.inputs.push_back(name.str()); });
  if (!restored.ops.empty() || !restored.parameters.empty() || !restored.inputs.empty())
    targets.push_back(std::move(restored));
  return targets;
}

//===-- Common mesh --------------------------------------------------------------------------===//

namespace {

/// Collects the device matrices of all requests, and translates them to axes of the refined mesh.
class MatrixTable {
public:
  void add(const Cuts &cuts) {
    if (!cuts.areNamed())
      matrices.push_back(cuts.counts);
  }

  const Mesh &refine(const std::optional<Mesh> &given, int64_t numRanks) {
    refinement = given ? refineMesh(*given, matrices) : refineMesh(numRanks, matrices);
    return refinement.mesh;
  }

  /// Returns the axes of the next cuts, in the order in which the cuts were added.
  std::vector<AxisList> translate(const Cuts &cuts) {
    if (!cuts.areNamed())
      return refinement.matrices[next++];
    std::vector<AxisList> axes;
    for (const AxisList &named : cuts.axes)
      axes.push_back(translate(named));
    return axes;
  }

  AxisList translate(const AxisList &named) const {
    AxisList axes;
    for (const std::string &axis : named)
      axes.append(refinement.pieces.lookup(axis));
    return axes;
  }

private:
  std::vector<DeviceMatrix> matrices;
  MeshRefinement refinement;
  size_t next = 0;
};

} // namespace

analysis::Reasons ConstraintResolver::explain(const ShardingConstraint &constraint) const {
  bool isRestored = constraint.isRestored(); // from a strategy file, or from the model's file
  return analysis::Reasons::makeWhole(ModuleOp(module).getContext(),
                                      isRestored ? ("given in " + constraint.getPlace()).str()
                                                 : constraint.describe());
}

/// Returns the sharding of an op that is split by `factors` and takes `operands`, some of them as
/// partial sums.
static OpSharding carrySums(Operation *op, const Mesh &mesh, ArrayRef<AxisList> factors,
                            ArrayRef<Sharding> operands) {
  FactorAxes split(op, mesh);
  split.setAxes(factors);
  std::vector<Sharding> taken;
  SmallVector<bool> mayCarry;
  for (auto [dims, sharding] : llvm::zip_equal(split.getRule().getOperands(), operands)) {
    taken.push_back(
        split.project(dims).withPartial(sharding.getPartialAxes(), sharding.getPartialKind()));
    mayCarry.push_back(sharding.isPartial());
  }
  return makeOpSharding(op, split, taken, mayCarry);
}

Mesh ConstraintResolver::resolve(SeedShardings &shardings) const {
  MatrixTable table;
  for (const auto &[op, request] : ops) {
    table.add(request.strategy.factors);
    for (const Cuts &cuts : request.strategy.results)
      table.add(cuts);
  }
  for (const TensorRequests *requests : {&parameters, &inputs})
    for (const auto &[name, request] : *requests)
      table.add(request.cuts);
  for (const auto &[name, cuts] : fed)
    table.add(cuts);
  table.add({batch, {}});
  Mesh refined = table.refine(given, numRanks);
  for (const auto &[op, request] : ops) {
    GivenOp &entry = shardings.ops[op];
    entry.why = explain(*request.constraint);
    entry.factors = table.translate(request.strategy.factors);
    for (const Cuts &cuts : request.strategy.results)
      entry.results.push_back(Sharding(table.translate(cuts)));
    std::vector<Sharding> carried = request.strategy.carried;
    for (Sharding &sharding : carried)
      sharding = sharding.withPartial(table.translate(sharding.getPartialAxes()),
                                      sharding.getPartialKind());
    if (!carried.empty())
      entry.exact = carrySums(op, refined, entry.factors, carried);
  }
  for (const auto &[name, request] : parameters) {
    shardings.parameters[name] = Sharding(table.translate(request.cuts));
    shardings.why.parameters[name] = explain(*request.constraint);
  }
  for (const auto &[name, request] : inputs) {
    shardings.inputs[name] = Sharding(table.translate(request.cuts));
    shardings.why.inputs[name] = explain(*request.constraint);
  }
  for (const auto &[name, cuts] : fed) {
    shardings.fed[name] = Sharding(table.translate(cuts));
    shardings.why.inputs[name] = analysis::Reasons::makeWhole(
        ModuleOp(module).getContext(), "dataset_strategy of input '" + name + "'");
  }
  return refined;
}

} // namespace pcc::strategy
