// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/CheckStrategy.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/facts/LocalForm.h"
#include "passes/facts/OpNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

using EmitError = function_ref<InFlightDiagnostic()>;

//===-- What is given, tensor by tensor ------------------------------------------------------===//

/// Counts are not known yet where an axis may be missing.
std::vector<Cuts> expand(const GivenCuts &given) {
  std::vector<Cuts> tensors;
  if (auto *tuples = std::get_if<std::vector<CountTuple>>(&given)) {
    for (const CountTuple &tuple : *tuples)
      tensors.push_back({tuple, {}});
    return tensors;
  }
  for (const Sharding &sharding : std::get<std::vector<Sharding>>(given))
    tensors.push_back({{}, std::vector<AxisList>(sharding.getDims())});
  return tensors;
}

size_t getLength(const Cuts &tensor) {
  return tensor.areNamed() ? tensor.axes.size() : tensor.counts.size();
}

/// Axes exist, none is used twice, and no value is partial.
LogicalResult checkNames(const GivenCuts &given, const Mesh &mesh, EmitError emitError) {
  auto *shardings = std::get_if<std::vector<Sharding>>(&given);
  if (!shardings)
    return success();
  for (const Sharding &sharding : *shardings) {
    if (std::string wrong = sharding.verifyAxes(mesh); !wrong.empty())
      return emitError() << wrong;
    if (sharding.isPartial())
      return emitError() << "\"" << sharding.str()
                         << "\" is partial, which follows from the ops and cannot be given";
  }
  return success();
}

/// Fills in the counts of named cuts.
void countAxes(Cuts &tensor, const Mesh &mesh) {
  if (tensor.areNamed())
    for (const AxisList &axes : tensor.axes)
      tensor.counts.push_back(mesh.getSize(axes));
}

/// The tensors of one side of an op, for messages: "input 1".
struct Side {
  StringRef noun;
  SmallVector<ArrayRef<int64_t>> shapes;
  std::string explicitName;

  std::string name(unsigned tensor) const {
    return explicitName.empty() ? (noun + " " + Twine(tensor)).str() : explicitName;
  }
  std::string name(unsigned tensor, unsigned dim) const {
    return name(tensor) + ", dimension " + std::to_string(dim);
  }
};

Side getSide(StringRef noun, ValueRange values) {
  Side side{noun, {}, ""};
  for (Value value : values)
    side.shapes.push_back(cast<RankedTensorType>(value.getType()).getShape());
  return side;
}

LogicalResult checkLengths(ArrayRef<Cuts> tensors, const Side &side, EmitError emitError) {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (size_t rank = side.shapes[index].size(); getLength(tensor) != rank)
      return emitError() << side.name(index) << ": expected " << rank
                         << " entries, one for each dimension, got " << getLength(tensor);
  return success();
}

/// Calls `check` with every count and the size of its dimension.
template <typename Check>
LogicalResult forEachCount(ArrayRef<Cuts> tensors, const Side &side, Check check) {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    for (auto [dim, count] : llvm::enumerate(tensor.counts))
      if (failed(check(side.name(index, dim), count, side.shapes[index][dim])))
        return failure();
  return success();
}

LogicalResult checkCounts(ArrayRef<Cuts> tensors, const Side &side, EmitError emitError) {
  auto isPositive = [&](const Twine &place, int64_t count, int64_t) -> LogicalResult {
    if (count >= 1)
      return success();
    return emitError() << place << ": expected a count of at least 1, got " << count;
  };
  auto divides = [&](const Twine &place, int64_t count, int64_t size) -> LogicalResult {
    if (size % count == 0)
      return success();
    return emitError() << place << ": expected a count that divides " << size << " ("
                       << dist::listDivisors(size) << "), got " << count;
  };
  return success(succeeded(forEachCount(tensors, side, isPositive)) &&
                 succeeded(forEachCount(tensors, side, divides)));
}

LogicalResult checkProduct(ArrayRef<int64_t> counts, int64_t numRanks, EmitError emitError) {
  int64_t parts = std::accumulate(counts.begin(), counts.end(), int64_t(1), std::multiplies<>());
  if (numRanks % parts == 0)
    return success();
  InFlightDiagnostic error = emitError() << "expected a number of parts that divides " << numRanks
                                         << " ranks, got ";
  llvm::interleave(counts, error, " x ");
  return error << " = " << parts;
}

FailureOr<std::vector<Cuts>> checkTensors(const GivenCuts &given, const Side &side,
                                          const Mesh &mesh, EmitError emitError) {
  if (getNumTensors(given) != side.shapes.size())
    return emitError() << "expected " << side.shapes.size() << " tuples or shardings, one for each "
                       << side.noun << ", got " << getNumTensors(given);
  std::vector<Cuts> tensors = expand(given);
  if (failed(checkLengths(tensors, side, emitError)) || failed(checkNames(given, mesh, emitError)))
    return failure();
  for (Cuts &tensor : tensors)
    countAxes(tensor, mesh);
  if (failed(checkCounts(tensors, side, emitError)))
    return failure();
  return tensors;
}

//===-- From dimensions to factors -----------------------------------------------------------===//

/// Gathers what the dimensions say of the factors of one op.
class FactorCollector {
public:
  FactorCollector(Operation *op, const FactorRule &rule, const Mesh &mesh, EmitError emitError)
      : op(op), rule(rule), mesh(mesh), emitError(emitError), factors(rule.getFactors().size()) {}

  LogicalResult collect(ArrayRef<TensorFactors> dims, ArrayRef<Cuts> tensors, const Side &side) {
    for (auto [index, tensor] : llvm::enumerate(tensors))
      for (auto [dim, dimFactors] : llvm::enumerate(dims[index]))
        if (failed(collectDim(dimFactors, tensor, dim, side.name(index, dim))))
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
    std::string place; ///< that said so first
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

  /// Takes from what is wanted of a dimension as much as a factor of `size` can have; false if what
  /// it would have to take does not fit it.
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
    if (wanted.count > 1 && !facts::isSplittable(op, rule, factor))
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

/// No axis splits two factors.
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

} // namespace

FailureOr<CheckedStrategy> checkStrategy(Operation *op, const GivenStrategy &given,
                                         const Mesh &mesh, int64_t numRanks) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  std::string name = facts::getName(op).str();
  auto emitError = [&] { return op->emitError() << "strategy of \"" << name << "\": "; };
  FactorCollector collector(op, rule, mesh, emitError);
  CheckedStrategy checked;
  bool areNamed = false;
  for (bool isIn : {true, false}) {
    const std::optional<GivenCuts> &cuts = isIn ? given.in : given.out;
    if (!cuts)
      continue;
    Side side = isIn ? getSide("input", op->getOperands()) : getSide("output", op->getResults());
    FailureOr<std::vector<Cuts>> tensors = checkTensors(*cuts, side, mesh, emitError);
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
  checked.factors = collector.finish(areNamed);
  if (failed(checkDistinct(checked.factors, emitError)) ||
      failed(checkProduct(checked.factors.counts, numRanks, emitError)))
    return failure();
  for (const Cuts &result : checked.results)
    if (failed(checkProduct(result.counts, numRanks, emitError)))
      return failure();
  return checked;
}

FailureOr<Cuts> checkTensor(const GivenCuts &given, ArrayRef<int64_t> shape, const Mesh &mesh,
                            int64_t numRanks, EmitError emitError) {
  Side side{"tensor", {shape}, "it"};
  FailureOr<std::vector<Cuts>> tensors = checkTensors(given, side, mesh, emitError);
  if (failed(tensors) || failed(checkProduct(tensors->front().counts, numRanks, emitError)))
    return failure();
  return tensors->front();
}

} // namespace pcc::strategy
