// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that only move elements, and elementwise ops, are computed on the compact tensors themselves.
// All others are computed on all elements.
#include "compiler/interpret/function/CompactTensors.h"

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

using Shape = SmallVector<int64_t>;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns the compact tensor `tensor` with all elements of `shape`.
Tensor expand(const Tensor &tensor, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(tensor.getShape()) == shape)
    return tensor;
  return values::computeBroadcast(tensor, shape,
                                  llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())));
}

/// Returns the smallest shape in which all of `tensors`, of equal rank, are compact.
Shape joinShapes(ArrayRef<Tensor> tensors) {
  Shape joined(tensors.front().getShape());
  for (const Tensor &tensor : tensors)
    for (auto [size, other] : llvm::zip_equal(joined, tensor.getShape()))
      size = std::max(size, other);
  return joined;
}

/// Whether the elements of `tensor` repeat along `dim`.
bool repeats(const Tensor &tensor, int64_t dim) {
  ArrayRef<int64_t> shape = tensor.getShape();
  int64_t inner = values::sizeOf(shape.drop_front(dim + 1));
  int64_t size = shape[dim] * inner; // of what one index of the outer dimensions holds
  for (int64_t start = 0; start < tensor.size(); start += size)
    for (int64_t i = start + inner; i < start + size; ++i)
      if (tensor[i].i != tensor[i - inner].i) // as bits, also of floats: -0.0 is not 0.0
        return false;
  return true;
}

/// Evaluates one op on compact operands.
class CompactEvaluator {
public:
  CompactEvaluator(Operation &op, ArrayRef<Tensor> operands, int64_t maxElements, Rank &rank)
      : op(op), operands(operands), maxElements(maxElements), rank(rank) {}

  std::optional<SmallVector<Tensor, 2>> run();

private:
  bool isSmall(ArrayRef<int64_t> shape) const { return values::sizeOf(shape) <= maxElements; }
  std::optional<SmallVector<Tensor, 2>> call(ArrayRef<Tensor> inputs);
  std::optional<SmallVector<Tensor, 2>> callWhole();
  std::optional<Tensor> compute(graph::ConstantOp constant);
  std::optional<Tensor> compute(graph::IotaOp iota);
  std::optional<Tensor> compute(graph::BroadcastOp broadcast);
  std::optional<Tensor> compute(graph::ReshapeOp reshape);
  std::optional<Tensor> compute(graph::SliceOp slice);
  std::optional<Tensor> compute(graph::ConcatOp concat);
  std::optional<Tensor> compute(graph::GatherOp gather);
  std::optional<Tensor> compute(graph::CumsumOp cumsum);

  Operation &op;
  ArrayRef<Tensor> operands;
  int64_t maxElements;
  Rank &rank;
};

/// Calls the interpreter with `inputs`, whose shapes may be compact if the op's result has the
/// shape that follows from them.
std::optional<SmallVector<Tensor, 2>> CompactEvaluator::call(ArrayRef<Tensor> inputs) {
  const OpFunction *function = Registry::get().lookup(op.getName().getStringRef());
  SmallVector<Tensor, 2> results;
  OpCall opCall{&op, inputs, results, rank};
  if (!function || failed((*function)(opCall)))
    return std::nullopt;
  return results;
}

/// Calls the interpreter with all elements of all operands.
std::optional<SmallVector<Tensor, 2>> CompactEvaluator::callWhole() {
  SmallVector<Tensor> inputs;
  for (auto [tensor, value] : llvm::zip_equal(operands, op.getOperands())) {
    if (!isSmall(shapeOf(value)))
      return std::nullopt;
    inputs.push_back(expand(tensor, shapeOf(value)));
  }
  if (!llvm::all_of(op.getResults(), [&](Value result) { return isSmall(shapeOf(result)); }))
    return std::nullopt;
  return call(inputs);
}

std::optional<Tensor> CompactEvaluator::compute(graph::ConstantOp constant) {
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (dense && dense.isSplat()) {
    RankedTensorType type = constant.getType();
    return values::tensorOf(dense.resizeSplat(type.clone(Shape(type.getRank(), 1))));
  }
  return isSmall(constant.getType().getShape()) ? values::tensorOf(constant.getValue())
                                                : std::nullopt;
}

std::optional<Tensor> CompactEvaluator::compute(graph::IotaOp iota) {
  RankedTensorType type = iota.getType();
  Shape shape(type.getRank(), 1);
  shape[iota.getAxis()] = type.getDimSize(iota.getAxis());
  if (!isSmall(shape))
    return std::nullopt;
  Tensor result = values::zerosOf(type.clone(shape));
  for (auto [index, element] : llvm::enumerate(result.mutableElements()))
    if (result.isFloat())
      element.f = double(index);
    else
      element.i = int64_t(index);
  return result;
}

std::optional<Tensor> CompactEvaluator::compute(graph::BroadcastOp broadcast) {
  Shape shape(broadcast.getType().getRank(), 1);
  for (auto [dim, target] : llvm::enumerate(broadcast.getDims()))
    shape[target] = operands[0].getDim(int64_t(dim));
  return operands[0].reshaped(shape); // the dimensions keep their order
}

/// Dimensions that the reshape keeps whole stay compact. Groups of dimensions that become others
/// are expanded, unless all of them repeat.
std::optional<Tensor> CompactEvaluator::compute(graph::ReshapeOp reshape) {
  ArrayRef<int64_t> from = shapeOf(reshape.getInput()), to = reshape.getType().getShape();
  Shape expanded(operands[0].getShape()), result(to);
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    // The smallest group that starts here: from[i, iEnd) and to[j, jEnd) have as many elements.
    size_t iEnd = i, jEnd = j;
    int64_t left = 1, right = 1;
    do {
      if (jEnd == to.size() || (iEnd < from.size() && left <= right))
        left *= from[iEnd++];
      else
        right *= to[jEnd++];
    } while (left != right);
    bool isCompact = true;
    for (size_t dim = i; dim < iEnd; ++dim)
      isCompact &= expanded[dim] == 1;
    for (size_t dim = i; dim < iEnd && !isCompact; ++dim)
      expanded[dim] = from[dim];
    for (size_t dim = j; dim < jEnd && isCompact; ++dim)
      result[dim] = 1;
    i = iEnd;
    j = jEnd;
  }
  return isSmall(expanded) ? std::optional(expand(operands[0], expanded).reshaped(result))
                           : std::nullopt;
}

std::optional<Tensor> CompactEvaluator::compute(graph::SliceOp slice) {
  int64_t axis = slice.getAxis();
  if (operands[0].getDim(axis) == 1)
    return operands[0];
  return values::computeSlice(operands[0], axis, slice.getStart(), slice.getStride(),
                              slice.getType().getDimSize(axis));
}

std::optional<Tensor> CompactEvaluator::compute(graph::ConcatOp concat) {
  int64_t axis = concat.getAxis();
  Shape joined = joinShapes(operands);
  SmallVector<Tensor> pieces;
  joined[axis] = concat.getType().getDimSize(axis);
  if (!isSmall(joined))
    return std::nullopt;
  for (auto [tensor, value] : llvm::zip_equal(operands, concat.getInputs())) {
    joined[axis] = shapeOf(value)[axis];
    pieces.push_back(expand(tensor, joined));
  }
  return values::concatenate(pieces, axis);
}

std::optional<Tensor> CompactEvaluator::compute(graph::GatherOp gather) {
  return gatherCompact(operands[0], operands[1], shapeOf(gather.getInput())[gather.getAxis()],
                       gather.getAxis(), maxElements);
}

std::optional<Tensor> CompactEvaluator::compute(graph::CumsumOp cumsum) {
  Shape shape(operands[0].getShape());
  shape[cumsum.getAxis()] = cumsum.getType().getDimSize(cumsum.getAxis());
  auto results = isSmall(shape) ? call(expand(operands[0], shape)) : std::nullopt;
  return results ? std::optional(results->front()) : std::nullopt;
}

std::optional<SmallVector<Tensor, 2>> CompactEvaluator::run() {
  if (op.hasTrait<graph::Elementwise>() && op.getNumOperands() > 0) {
    Shape joined = joinShapes(operands);
    if (!isSmall(joined))
      return std::nullopt;
    SmallVector<Tensor> inputs;
    for (const Tensor &tensor : operands)
      inputs.push_back(expand(tensor, joined));
    return call(inputs);
  }
  if (isa<graph::TransposeOp>(op))
    return call(operands);
  auto moved = [&](auto mover) -> std::optional<SmallVector<Tensor, 2>> {
    std::optional<Tensor> result = compute(mover);
    return result ? std::optional(SmallVector<Tensor, 2>{*result}) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<SmallVector<Tensor, 2>>>(&op)
      .Case<graph::ConstantOp, graph::IotaOp, graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp,
            graph::ConcatOp, graph::GatherOp, graph::CumsumOp>(moved)
      .Default([&](Operation *) { return callWhole(); });
}

} // namespace

Tensor dropRepeats(Tensor tensor) {
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
    if (tensor.getDim(dim) > 1 && repeats(tensor, dim))
      tensor = values::computeSlice(tensor, dim, /*start=*/0, /*stride=*/1, /*count=*/1);
  return tensor;
}

std::optional<SmallVector<Tensor, 2>> evaluateCompact(Operation &op, ArrayRef<Tensor> operands,
                                                      int64_t maxElements, Rank &rank) {
  auto results = CompactEvaluator(op, operands, maxElements, rank).run();
  if (!results)
    return std::nullopt;
  for (Tensor &result : *results)
    result = dropRepeats(result.rounded(values::Precision::Element));
  return results;
}

std::optional<Tensor> gatherCompact(const Tensor &table, const Tensor &indices, int64_t size,
                                    int64_t axis, int64_t maxElements) {
  Shape shape(table.getShape());
  shape[axis] = size;
  int64_t elements = values::sizeOf(shape), chosen = elements / size * indices.size();
  if (std::max(elements, chosen) > maxElements)
    return std::nullopt;
  return values::computeGather(expand(table, shape), indices, axis);
}

} // namespace pcc::interpret
