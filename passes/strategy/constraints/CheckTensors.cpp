// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks in the order of their messages: number of tensors, lengths, axis names, positive
// counts, counts that divide. Named axes are converted to counts once they are known to exist.
#include "passes/strategy/constraints/CheckStrategy.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// Converts the given cuts. The counts of named cuts stay empty until the axes have been checked.
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

/// Checks that all axes exist, that no axis is used twice, and that no value is partial. Messages
/// begin with the tensor's entry in `places`, unless `places` is empty.
LogicalResult checkNames(const GivenCuts &given, const Mesh &mesh, ArrayRef<std::string> places,
                         EmitError emitError) {
  auto *shardings = std::get_if<std::vector<Sharding>>(&given);
  if (!shardings)
    return success();
  for (auto [index, sharding] : llvm::enumerate(*shardings)) {
    std::string place = places.empty() ? "" : places[index] + ": ";
    if (std::string wrong = sharding.verifyAxes(mesh); !wrong.empty())
      return emitError() << place << wrong;
    if (sharding.isPartial())
      return emitError() << place << "\"" << sharding.str()
                         << "\" is partial, which follows from the ops and cannot be given";
  }
  return success();
}

/// Computes the counts of named cuts.
void countAxes(Cuts &tensor, const Mesh &mesh) {
  if (tensor.areNamed())
    for (const AxisList &axes : tensor.axes)
      tensor.counts.push_back(mesh.getSize(axes));
}

LogicalResult checkLengths(ArrayRef<Cuts> tensors, const TensorGroup &group, EmitError emitError) {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (size_t rank = group.shapes[index].size(); getLength(tensor) != rank)
      return emitError() << group.name(index) << ": expected " << rank
                         << " entries, one for each dimension, got " << getLength(tensor);
  return success();
}

/// Calls `check` with every count and the size of its dimension.
template <typename Check>
LogicalResult forEachCount(ArrayRef<Cuts> tensors, const TensorGroup &group, Check check) {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    for (auto [dim, count] : llvm::enumerate(tensor.counts))
      if (failed(check(group.name(index, dim), count, group.shapes[index][dim])))
        return failure();
  return success();
}

LogicalResult checkCounts(ArrayRef<Cuts> tensors, const TensorGroup &group, EmitError emitError) {
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
  return success(succeeded(forEachCount(tensors, group, isPositive)) &&
                 succeeded(forEachCount(tensors, group, divides)));
}

} // namespace

LogicalResult checkNumParts(ArrayRef<int64_t> counts, int64_t numRanks, EmitError emitError) {
  int64_t parts = std::accumulate(counts.begin(), counts.end(), int64_t(1), std::multiplies<>());
  if (numRanks % parts == 0)
    return success();
  InFlightDiagnostic error = emitError() << "expected a number of parts that divides " << numRanks
                                         << " ranks, got ";
  llvm::interleave(counts, error, " x ");
  return error << " = " << parts;
}

FailureOr<std::vector<Cuts>> checkTensors(const GivenCuts &given, const TensorGroup &group,
                                          const Mesh &mesh, EmitError emitError) {
  if (getNumTensors(given) != group.shapes.size())
    return emitError() << "expected " << group.shapes.size()
                       << " tuples or shardings, one for each " << group.noun << ", got "
                       << getNumTensors(given);
  std::vector<Cuts> tensors = expand(given);
  if (failed(checkLengths(tensors, group, emitError)) ||
      failed(checkNames(given, mesh, group.names, emitError)))
    return failure();
  for (Cuts &tensor : tensors)
    countAxes(tensor, mesh);
  if (failed(checkCounts(tensors, group, emitError)))
    return failure();
  return tensors;
}

FailureOr<std::vector<Cuts>> checkIndependentTensors(const GivenCuts &given,
                                                     const TensorGroup &group, const Mesh &mesh,
                                                     int64_t numRanks, EmitError emitError) {
  FailureOr<std::vector<Cuts>> tensors = checkTensors(given, group, mesh, emitError);
  if (failed(tensors))
    return failure();
  for (auto [index, tensor] : llvm::enumerate(*tensors))
    if (failed(checkNumParts(tensor.counts, numRanks,
                             [&] { return emitError() << group.name(index) << ": "; })))
      return failure();
  return tensors;
}

} // namespace pcc::strategy
