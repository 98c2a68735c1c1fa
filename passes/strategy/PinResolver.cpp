// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/PinResolver.h"

#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Remarks.h"
#include "passes/facts/Cost.h"
#include "passes/facts/OpNames.h"
#include "passes/strategy/GivenTensor.h"

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

bool fits(const Pin &pin, Operation *op) {
  const GivenStrategy &given = pin.getStrategy();
  auto findOperand = [&](Value value, size_t index) {
    return findGivenTensor(value, *given.in, index);
  };
  auto findResult = [](Value value, size_t) { return makeGivenTensor(value); };
  return fits(given.in, op->getOperands(), findOperand) &&
         fits(given.out, op->getResults(), findResult);
}

/// Whether the constraint names the op itself. A backward op with the forward op's name does not
/// match.
bool matches(const Pin &pin, Operation *op) {
  bool isMatched = false;
  for (StringRef name : facts::getNames(op))
    isMatched |= pin.matches(name);
  if (!isMatched)
    return false;
  std::optional<StringRef> origin = facts::getDerivedFrom(op);
  return !origin || pin.getTarget() == PinTarget::OpName || !pin.matches(*origin);
}

/// Whether constraints apply to the ops of `function`. The ops of an update follow from other
/// sections.
bool takesPins(func::FuncOp function) {
  return !function.isDeclaration() && graph::findArgs(function, RoleKind::Gradient).empty();
}

} // namespace

LogicalResult PinResolver::requestOp(const Pin &pin, Operation *op) {
  if (auto found = ops.find(op); found != ops.end()) {
    const Pin &other = *found->second.pin;
    if (pin.isRestored() || other.getStrategy() == pin.getStrategy()) {
      if (!pin.isRestored())
        found->second.others.push_back(&pin);
      return success();
    }
    return op->emitError() << "\"" << facts::getName(op) << "\" is given two strategies, by "
                           << other.describe() << " and by " << pin.describe();
  }
  FailureOr<CheckedStrategy> checked = checkStrategy(op, pin.getStrategy(), mesh, numRanks);
  if (failed(checked))
    return failure();
  ops[op] = {&pin, std::move(*checked)};
  return success();
}

void PinResolver::indexOps() {
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!takesPins(function))
      continue;
    for (Operation &op : function.getBody().front()) {
      if (!isa<FactorRuleOpInterface>(op))
        continue;
      allOps.push_back(&op);
      for (StringRef name : facts::getNames(&op))
        opsByName[name].push_back(&op);
    }
  }
}

/// An imported node may have become several ops of its name. In each block the op that fits and has
/// the most flops is chosen.
SmallVector<Operation *> PinResolver::findOps(const Pin &pin) {
  if (allOps.empty())
    indexOps();
  ArrayRef<Operation *> candidates = allOps;
  if (pin.getTarget() == PinTarget::OpName)
    candidates = opsByName[pin.getPattern()];
  llvm::MapVector<std::pair<Block *, StringRef>, Operation *> best;
  for (Operation *op : candidates) {
    if (!matches(pin, op))
      continue;
    Operation *&held = best[{op->getBlock(), facts::getName(op)}];
    auto rank = [&](Operation *op) {
      return std::make_pair(fits(pin, op), facts::costOf(op).flops);
    };
    if (!held || rank(op) > rank(held))
      held = op;
  }
  return llvm::map_to_vector(best, [](auto &entry) { return entry.second; });
}

/// Requests the strategy for all matching ops, or only for those that fit if any fits. If none
/// fits, the checks report the reason.
LogicalResult PinResolver::matchOps(const Pin &pin) {
  SmallVector<Operation *> matched = findOps(pin);
  if (matched.empty())
    return module.emitError() << pin.describe() << " matches no op";
  bool fitsAny = llvm::any_of(matched, [&](Operation *op) { return fits(pin, op); });
  for (Operation *op : matched)
    if ((!fitsAny || fits(pin, op)) && failed(requestOp(pin, op)))
      return failure();
  return success();
}

LogicalResult PinResolver::requestTensor(const Pin &pin, StringRef name, RankedTensorType type,
                                         TensorRequests &requests) {
  if (auto found = requests.find(name); found != requests.end()) {
    const Pin &other = *found->second.pin;
    if (pin.isRestored() || other.getStrategy() == pin.getStrategy()) {
      if (!pin.isRestored())
        found->second.others.push_back(&pin);
      return success();
    }
    return module.emitError() << "\"" << name << "\" is given two shardings, by "
                              << other.describe() << " and by " << pin.describe();
  }
  FailureOr<std::vector<Cuts>> checked =
      checkLoneTensors(pin.getSharding(), {"tensor", {type.getShape()}, {"it"}}, mesh, numRanks,
                       [&] { return module.emitError() << "sharding of \"" << name << "\": "; });
  if (failed(checked))
    return failure();
  requests[name] = {&pin, std::move(checked->front())};
  return success();
}

LogicalResult PinResolver::matchTensors(const Pin &pin) {
  bool meansParameters = pin.getTarget() == PinTarget::Parameter;
  SmallVector<std::pair<StringRef, Type>> matched;
  if (meansParameters) {
    for (auto parameter : module.getOps<graph::ParameterOp>()) {
      // A constraint on a tensor of the file applies to each of its pieces. A constraint on a
      // parameter applies to its copies in other virtual stages.
      std::optional<graph::ParameterPart> piece = graph::getParameterPart(parameter);
      auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName);
      if (pin.matches(parameter.getSymName()) || (piece && pin.matches(piece->whole)) ||
          (owner && pin.matches(owner.getValue())))
        matched.push_back({parameter.getSymName(), parameter.getTensorType()});
    }
  } else {
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      for (unsigned index : graph::findArgs(function, RoleKind::Input)) {
        StringRef name = graph::getName(graph::getArgRole(function, index));
        if (!name.empty() && pin.matches(name))
          matched.push_back({name, function.getArgumentTypes()[index]});
      }
  }
  for (auto [name, type] : matched)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (failed(requestTensor(pin, name, tensor, meansParameters ? parameters : inputs)))
        return failure();
  if (!matched.empty())
    return success();
  return module.emitError() << pin.describe() << " matches no "
                            << (meansParameters ? "parameter" : "input");
}

/// Ignores ops of sections that take gradients: they follow by propagation here as well.
LogicalResult PinResolver::matchExact(const Pin &pin) {
  if (exactNames.empty())
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      facts::forEachNumbered(function, [&](Operation *op, StringRef name, unsigned number) {
        exactNames[facts::makeExactName(function.getSymName(), name, number)] = op;
      });
  Operation *op = exactNames.lookup(pin.getPattern());
  if (!op || !isa<FactorRuleOpInterface>(op))
    return module.emitError() << pin.describe() << " matches no op";
  if (!takesPins(op->getParentOfType<func::FuncOp>()))
    return success();
  return requestOp(pin, op);
}

LogicalResult PinResolver::match(const Pin &pin) {
  if (pin.isOfTensor())
    return matchTensors(pin);
  return pin.getTarget() == PinTarget::OpExact ? matchExact(pin) : matchOps(pin);
}

void PinResolver::tryMatch(const Pin &pin) {
  std::string reason;
  {
    ScopedDiagnosticHandler reasons(module.getContext(), [&](Diagnostic &diagnostic) {
      reason = diagnostic.str();
      return success();
    });
    (void)match(pin);
  }
  if (!reason.empty())
    remark::missed(module.getLoc(), remark::RemarkOpts::name("reuse").category("strategy"))
        << remark::metric("entry", pin.getPattern()) << remark::reason("{0}", reason);
}

LogicalResult PinResolver::match(ArrayRef<Pin> pins) {
  for (bool isRestored : {false, true})
    for (const Pin &pin : pins) {
      if (pin.isRestored() != isRestored)
        continue;
      if (pin.isOptional())
        tryMatch(pin);
      else if (failed(match(pin)))
        return failure();
    }
  return success();
}

/// Fails if dataset_strategy cuts an input that has a user's constraint, because the constraint
/// already determines how the input is fed.
LogicalResult PinResolver::feed(StringRef datasetStrategy) {
  FailureOr<FedInputs> read = readDatasetStrategy(module, datasetStrategy, mesh, numRanks);
  if (failed(read))
    return failure();
  for (const auto &[name, request] : inputs)
    if (!request.pin->isRestored() && read->contains(name))
      return module.emitError() << "\"" << name << "\" is given two shardings, by "
                                << request.pin->describe() << " and by dataset_strategy";
  fed = std::move(*read);
  return success();
}

void PinResolver::spanBatch(int64_t parts) {
  given = Mesh(dist::MeshAxis{"dp", numRanks});
  batch = DeviceMatrix{parts};
}

std::vector<PinShare> PinResolver::listShares(ArrayRef<Pin> pins) const {
  std::vector<PinShare> shares;
  llvm::DenseMap<const Pin *, size_t> places;
  PinShare restored{"the loaded strategy", /*isRestored=*/true, {}, {}, {}};
  for (const Pin &pin : pins)
    if (!pin.isRestored()) {
      places[&pin] = shares.size();
      shares.push_back({pin.describe(), false, {}, {}, {}});
    }
  auto forEachShare = [&](const auto &request, auto add) {
    add(request.pin->isRestored() ? restored : shares[places.lookup(request.pin)]);
    for (const Pin *other : request.others)
      add(shares[places.lookup(other)]);
  };
  for (const auto &[op, request] : ops)
    forEachShare(request, [op = op](PinShare &share) { share.ops.push_back(op); });
  for (const auto &[name, request] : parameters)
    forEachShare(request,
                 [name = name](PinShare &share) { share.parameters.push_back(name.str()); });
  for (const auto &[name, request] : inputs)
    forEachShare(request, [name = name](PinShare &share) { share.inputs.push_back(name.str()); });
  if (!restored.ops.empty() || !restored.parameters.empty() || !restored.inputs.empty())
    shares.push_back(std::move(restored));
  return shares;
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
    for (const AxisList &named : cuts.axes) {
      AxisList &list = axes.emplace_back();
      for (const std::string &axis : named)
        list.append(refinement.pieces.lookup(axis));
    }
    return axes;
  }

private:
  std::vector<DeviceMatrix> matrices;
  MeshRefinement refinement;
  size_t next = 0;
};

} // namespace

Mesh PinResolver::resolve(GivenShardings &shardings) const {
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
    entry.factors = table.translate(request.strategy.factors);
    for (const Cuts &cuts : request.strategy.results)
      entry.results.push_back(Sharding(table.translate(cuts)));
  }
  for (const auto &[name, request] : parameters)
    shardings.parameters[name] = Sharding(table.translate(request.cuts));
  for (const auto &[name, request] : inputs)
    shardings.inputs[name] = Sharding(table.translate(request.cuts));
  for (const auto &[name, cuts] : fed)
    shardings.fed[name] = Sharding(table.translate(cuts));
  return refined;
}

} // namespace pcc::strategy
