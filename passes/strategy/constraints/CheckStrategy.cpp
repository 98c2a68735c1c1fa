// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributes the count of each dimension over the dimension's factors, outermost first. A factor
// that occurs in several dimensions must get the same count and the same axes from each. The
// dataset strategy at the end needs no factors, as it cuts single tensors.
#include "passes/strategy/constraints/CheckStrategy.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/strategy/constraints/GivenTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

//===-- Inputs and outputs of an op ----------------------------------------------------------===//

struct Side {
  TensorGroup group;
  SmallVector<GivenTensor> tensors;

  void add(GivenTensor tensor) {
    group.shapes.push_back(tensor.type.getShape());
    tensors.push_back(std::move(tensor));
  }
};

Side getInputs(Operation *op, const GivenCuts &given) {
  Side side{{"input", {}, {}}, {}};
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    side.add(findGivenTensor(operand, given, index));
  return side;
}

Side getOutputs(Operation *op) {
  Side side{{"output", {}, {}}, {}};
  for (Value result : op->getResults())
    side.add(makeGivenTensor(result));
  return side;
}

//===-- From dimensions to factors -----------------------------------------------------------===//

/// Collects the cuts of one op's factors from the cuts of its dimensions.
class FactorCollector {
public:
  FactorCollector(Operation *op, const FactorRule &rule, const Mesh &mesh, EmitError emitError)
      : op(op), rule(rule), mesh(mesh), emitError(emitError), factors(rule.getFactors().size()) {}

  LogicalResult collect(ArrayRef<TensorFactors> dims, ArrayRef<Cuts> tensors, const Side &side) {
    for (auto [index, tensor] : llvm::enumerate(tensors))
      for (auto [dim, operandDim] : llvm::enumerate(side.tensors[index].operandDims))
        if (operandDim &&
            failed(collectDim(dims[index][*operandDim], tensor, dim, side.group.name(index, dim))))
          return failure();
    return success();
  }

  Cuts finish(bool areNamed) const {
    Cuts cuts;
    for (const Entry &entry : factors) {
      cuts.counts.push_back(entry.count);
      if (areNamed)
        cuts.axes.push_back(entry.axes);
    }
    return cuts;
  }

private:
  struct Entry {
    int64_t count = 1;
    AxisList axes;
    std::string place; ///< the dimension that first set this entry
  };

  LogicalResult collectDim(const DimFactors &dimFactors, const Cuts &tensor, unsigned dim,
                           const std::string &place) {
    int64_t rest = tensor.counts[dim];
    ArrayRef<std::string> axes;
    if (tensor.areNamed())
      axes = tensor.axes[dim];
    for (unsigned factor : dimFactors) {
      Entry entry{1, {}, place};
      if (!takePart(rule.getFactor(factor).size, rest, axes, tensor.areNamed(), entry))
        break;
      if (failed(merge(factor, entry)))
        return failure();
    }
    if (rest == 1)
      return success();
    return emitError() << place << ": " << tensor.counts[dim]
                       << " equal blocks do not follow the dimensions that \"" << op->getName()
                       << "\" joins or takes apart there";
  }

  /// Moves the share of a factor of `size` from `rest` and `axes`, the remaining count and axes of
  /// a dimension, to `entry`. Returns false if the share does not fit the factor.
  bool takePart(int64_t size, int64_t &rest, ArrayRef<std::string> &axes, bool areNamed,
                Entry &entry) const {
    entry.count = rest % size == 0 ? size : rest;
    if (size % entry.count)
      return false;
    int64_t named = 1;
    while (areNamed && named < entry.count && !axes.empty()) {
      named *= mesh.getSize(StringRef(axes.front()));
      entry.axes.push_back(axes.front());
      axes = axes.drop_front();
    }
    rest /= entry.count;
    return !areNamed || named == entry.count;
  }

  LogicalResult merge(unsigned factor, const Entry &wanted) {
    if (wanted.count > 1 && !analysis::isSplittable(op, rule, factor))
      return emitError() << wanted.place << ": must stay whole, since \"" << op->getName()
                         << "\" works along it; expected 1, got " << wanted.count;
    Entry &entry = factors[factor];
    if (entry.place.empty()) {
      entry = wanted;
      return success();
    }
    if (entry.count != wanted.count)
      return emitError() << wanted.place << ": expected " << entry.count << " as for "
                         << entry.place << ", which is the same factor, got " << wanted.count;
    if (entry.axes != wanted.axes)
      return emitError() << wanted.place << ": expected " << llvm::join(entry.axes, ".")
                         << " as for " << entry.place << ", which is the same factor, got "
                         << llvm::join(wanted.axes, ".");
    return success();
  }

  Operation *op;
  const FactorRule &rule;
  const Mesh &mesh;
  EmitError emitError;
  std::vector<Entry> factors;
};

/// Checks that no axis splits two factors.
LogicalResult checkDistinct(const Cuts &factors, EmitError emitError) {
  AxisList seen;
  for (const AxisList &axes : factors.axes)
    for (const std::string &axis : axes) {
      if (llvm::is_contained(seen, axis))
        return emitError() << "axis \"" << axis << "\" splits two factors";
      seen.push_back(axis);
    }
  return success();
}

/// Checks the shardings of the operands of an op that takes some of them as partial sums.
LogicalResult checkCarried(const FactorRule &rule, ArrayRef<Sharding> carried, const Mesh &mesh,
                           EmitError emitError) {
  if (carried.empty())
    return success();
  if (carried.size() != rule.getOperands().size())
    return emitError() << "\"carried\": expected " << rule.getOperands().size()
                       << " shardings, got " << carried.size();
  for (const Sharding &sharding : carried)
    if (std::string error = sharding.verifyAxes(mesh); !error.empty())
      return emitError() << "\"carried\": " << error;
  return success();
}

} // namespace

FailureOr<CheckedStrategy> checkStrategy(Operation *op, const GivenStrategy &given,
                                         const Mesh &mesh, int64_t numRanks) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  std::string name = analysis::getName(op).str();
  auto emitError = [&] { return op->emitError() << "strategy of \"" << name << "\": "; };
  FactorCollector collector(op, rule, mesh, emitError);
  CheckedStrategy checked;
  bool areNamed = false;
  for (bool isIn : {true, false}) {
    const std::optional<GivenCuts> &cuts = isIn ? given.in : given.out;
    if (!cuts)
      continue;
    Side side = isIn ? getInputs(op, *cuts) : getOutputs(op);
    FailureOr<std::vector<Cuts>> tensors = checkTensors(*cuts, side.group, mesh, emitError);
    if (failed(tensors))
      return failure();
    if (isIn || !given.in || given.joinsSides) {
      areNamed = std::holds_alternative<std::vector<Sharding>>(*cuts);
      if (failed(collector.collect(isIn ? rule.getOperands() : rule.getResults(), *tensors, side)))
        return failure();
    } else {
      checked.results = std::move(*tensors);
    }
  }
  if (failed(checkCarried(rule, given.carried, mesh, emitError)))
    return failure();
  checked.carried = given.carried;
  checked.factors = collector.finish(areNamed);
  if (failed(checkDistinct(checked.factors, emitError)) ||
      failed(checkNumParts(checked.factors.counts, numRanks, emitError)))
    return failure();
  for (const Cuts &result : checked.results)
    if (failed(checkNumParts(result.counts, numRanks, emitError)))
      return failure();
  return checked;
}

namespace {

using Inputs = llvm::MapVector<StringRef, RankedTensorType>;

/// Collects the inputs of all functions by name, in the order of their first occurrence.
Inputs findInputs(ModuleOp module) {
  Inputs inputs;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    for (unsigned index : graph::findArgs(function, graph::RoleKind::Input))
      if (auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]))
        inputs.insert({graph::getName(graph::getArgRole(function, index)), type});
  return inputs;
}

} // namespace

FailureOr<FedInputs> readDatasetStrategy(ModuleOp module, StringRef text, const dist::Mesh &mesh,
                                         int64_t numRanks) {
  FedInputs fed;
  if (text.trim().empty())
    return fed;
  auto emitError = [&] { return module.emitError() << "dataset_strategy: "; };
  FailureOr<GivenCuts> given = parseCuts(text, module.getContext(), emitError);
  if (failed(given))
    return failure();
  Inputs inputs = findInputs(module);
  TensorGroup group{"input", {}, {}};
  for (const auto &[name, type] : inputs) {
    group.shapes.push_back(type.getShape());
    group.names.push_back(("input \"" + name + "\"").str());
  }
  FailureOr<std::vector<Cuts>> cuts =
      checkIndependentTensors(*given, group, mesh, numRanks, emitError);
  if (failed(cuts))
    return failure();
  for (auto [input, cut] : llvm::zip_equal(inputs, *cuts))
    fed[input.first] = std::move(cut);
  return fed;
}

} // namespace pcc::strategy
