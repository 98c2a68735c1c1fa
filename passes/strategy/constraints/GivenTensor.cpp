// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which tensor a user's cut describes: the operand, or the input of its broadcast. The number
// of dimensions of the cut decides. If both fit, a cut of a repeated dimension means the operand.
#include "passes/strategy/constraints/GivenTensor.h"

#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

GivenTensor makeRepeated(graph::BroadcastOp broadcast) {
  GivenTensor tensor{broadcast.getInput().getType(), {}};
  ArrayRef<int64_t> repeated = broadcast.getResult().getType().getShape();
  for (auto [size, dim] : llvm::zip_equal(tensor.type.getShape(), broadcast.getDims()))
    tensor.operandDims.push_back(size == repeated[dim] ? std::optional<unsigned>(dim)
                                                       : std::nullopt);
  return tensor;
}

/// Whether cut number `index` describes the operand instead of the broadcast's input. The lengths
/// decide; if both are equally long, a cut of a dimension of size one of the input decides for the
/// operand.
bool isOfOperand(const GivenCuts &given, size_t index, const GivenTensor &repeated,
                 int64_t operandRank) {
  if (getRank(given, index) != operandRank)
    return false;
  if (repeated.type.getRank() != operandRank)
    return true;
  for (auto [dim, operandDim] : llvm::enumerate(repeated.operandDims))
    if (!operandDim && isCut(given, index, dim))
      return true;
  return false;
}

} // namespace

GivenTensor makeGivenTensor(Value value) {
  GivenTensor tensor{cast<RankedTensorType>(value.getType()), {}};
  for (unsigned dim = 0; dim < tensor.type.getRank(); ++dim)
    tensor.operandDims.push_back(dim);
  return tensor;
}

GivenTensor findGivenTensor(Value operand, const GivenCuts &given, size_t index) {
  auto broadcast = operand.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast || index >= getNumTensors(given))
    return makeGivenTensor(operand);
  GivenTensor repeated = makeRepeated(broadcast);
  int64_t rank = broadcast.getResult().getType().getRank();
  return isOfOperand(given, index, repeated, rank) ? makeGivenTensor(operand) : repeated;
}

} // namespace pcc::strategy
