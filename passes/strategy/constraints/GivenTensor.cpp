// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which tensor a user's cut describes: the operand, or the input of its broadcast. The number
// of dimensions of the cut decides. If both fit, a cut of a repeated dimension means the operand.
//
// Recognizes a bias by the pattern of its ops: a broadcast vector is added to the result, or to a
// reshape of it. The bias must be cut like the columns of a matmul's weight, or like the output
// channels of a convolution.
#include "passes/strategy/constraints/GivenTensor.h"

#include "dialects/graph/Graph.h"
#include "llvm/ADT/StringExtras.h"

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

//===-- Entries for a bias -------------------------------------------------------------------===//

namespace {

/// Returns the dimension of the second operand that is the dimension of the bias; nothing for other
/// ops.
std::optional<unsigned> findBiasDim(Operation *op) {
  if (auto matmul = dyn_cast<graph::MatmulOp>(op)) {
    auto rank = unsigned(cast<RankedTensorType>(matmul.getRhs().getType()).getRank());
    return matmul.getTransposeRhs() ? rank - 2 : rank - 1;
  }
  if (isa<graph::Conv2dOp>(op))
    return 0;
  return std::nullopt;
}

/// Whether `value` is a value of one dimension, repeated to the shape of another one.
bool isRepeatedVector(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  return broadcast && cast<RankedTensorType>(broadcast.getInput().getType()).getRank() == 1;
}

/// Whether a bias is added to `value`, or to a reshape of it.
bool isAddedBias(Value value) {
  return llvm::any_of(value.getUsers(), [value](Operation *user) {
    if (auto reshape = dyn_cast<graph::ReshapeOp>(user))
      return isAddedBias(reshape.getResult());
    auto add = dyn_cast<graph::AddOp>(user);
    return add && isRepeatedVector(add.getLhs() == value ? add.getRhs() : add.getLhs());
  });
}

std::string printCut(int64_t count) { return std::to_string(count); }
std::string printCut(const dist::AxisList &axes) {
  return axes.empty() ? "_" : llvm::join(axes, ".");
}
int64_t getCut(const CountTuple &tuple, unsigned dim) { return tuple[dim]; }
const dist::AxisList &getCut(const Sharding &sharding, unsigned dim) {
  return sharding.getDim(dim);
}

} // namespace

bool hasBiasEntry(Operation *op, const GivenStrategy &given) {
  if (!given.in || op->getNumOperands() != 2 || getNumTensors(*given.in) != 3 ||
      getRank(*given.in, 2) != 1)
    return false;
  return findBiasDim(op) && isAddedBias(op->getResult(0));
}

GivenStrategy withoutBiasEntry(const GivenStrategy &given) {
  GivenStrategy rest = given;
  std::visit([](auto &tensors) { tensors.pop_back(); }, *rest.in);
  return rest;
}

std::string checkBiasEntry(Operation *op, const GivenStrategy &given) {
  unsigned dim = *findBiasDim(op);
  if (getRank(*given.in, 1) <= dim)
    return ""; // the checks of the other operands report the reason
  return std::visit(
      [dim](const auto &tensors) -> std::string {
        auto expected = printCut(getCut(tensors[1], dim)), got = printCut(getCut(tensors[2], 0));
        if (expected == got)
          return "";
        return "input 2, the bias: expected " + expected + ", as dimension " + std::to_string(dim) +
               " of input 1 is cut, got " + got;
      },
      *given.in);
}

} // namespace pcc::strategy
