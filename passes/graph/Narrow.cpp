// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the smallest shape of each value from its operands, then rebuilds the ops in that shape.
// Shapes are matched by groups of dimensions with equal products.
#include "passes/graph/Narrow.h"

#include "dialects/graph/Constants.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace pcc::graph {

const double *Numbers::find(int64_t index, ArrayRef<int64_t> of) const {
  int64_t own = 0, stride = 1;
  for (int64_t dim = int64_t(of.size()) - 1; dim >= 0; --dim) {
    if (shape[dim] != 1)
      own += index % of[dim] * stride;
    stride *= shape[dim];
    index /= of[dim];
  }
  return &values[own];
}

/// Returns the shape in which a broadcast repeats an input of shape `input`.
static SmallVector<int64_t> spread(BroadcastOp op, ArrayRef<int64_t> input) {
  SmallVector<int64_t> shape(op.getType().getRank(), 1);
  for (auto [dim, size] : llvm::zip(op.getDims(), input))
    shape[dim] = size;
  return shape;
}

/// Returns the numbers of select(predicate, a, b).
static std::optional<Numbers> readSelect(SelectOp op) {
  auto predicate = readNumbers(op.getPredicate());
  auto onTrue = readNumbers(op.getOnTrue()), onFalse = readNumbers(op.getOnFalse());
  if (!predicate || !onTrue || !onFalse)
    return std::nullopt;
  Numbers result;
  for (auto [p, a, b] : llvm::zip(predicate->shape, onTrue->shape, onFalse->shape))
    result.shape.push_back(std::max({p, a, b}));
  int64_t count = llvm::product_of(result.shape);
  for (int64_t index = 0; index < count; ++index) {
    bool isTrue = predicate->at(index, result.shape) != 0.0;
    result.values.push_back((isTrue ? *onTrue : *onFalse).at(index, result.shape));
  }
  return result;
}

/// Returns the indices of a dimension; nothing if they wrap around.
static std::optional<Numbers> readIota(IotaOp op) {
  RankedTensorType type = op.getType();
  int64_t axis = op.getAxis(), size = type.getDimSize(axis);
  if (!type.getElementType().isInteger() || !holdsIndices(type.getElementType(), size))
    return std::nullopt;
  Numbers numbers{SmallVector<int64_t>(type.getRank(), 1), {}};
  numbers.shape[axis] = size;
  for (int64_t index = 0; index < size; ++index)
    numbers.values.push_back(double(index));
  return numbers;
}

std::optional<Numbers> readNumbers(Value value) {
  RankedTensorType type = typeOf(value);
  Operation *op = value.getDefiningOp();
  if (std::optional<double> splat = findSplat(value))
    return Numbers{SmallVector<int64_t>(type.getRank(), 1), {*splat}};
  if (auto iota = dyn_cast_if_present<IotaOp>(op))
    return readIota(iota);
  if (auto select = dyn_cast_if_present<SelectOp>(op))
    return readSelect(select);
  if (isa_and_present<BroadcastOp, ReshapeOp, NotOp>(op)) {
    std::optional<Numbers> input = readNumbers(op->getOperand(0));
    if (!input)
      return std::nullopt;
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return Numbers{spread(broadcast, input->shape), input->values};
    if (isa<NotOp>(op) && type.getElementType().isInteger(1))
      for (double &number : input->values)
        number = number == 0.0;
    else if (!isa<ReshapeOp>(op) || int64_t(input->values.size()) != type.getNumElements())
      return std::nullopt;
    if (isa<ReshapeOp>(op))
      input->shape.assign(type.getShape().begin(), type.getShape().end());
    return input;
  }
  std::optional<SmallVector<double>> numbers = readConstant(value);
  if (!numbers)
    return std::nullopt;
  return Numbers{SmallVector<int64_t>(type.getShape()), {numbers->begin(), numbers->end()}};
}

/// Calls `visit` for each pair of smallest groups of dimensions with equal products. Returns false
/// if `visit` does, or if the shapes have no such groups.
static bool forEachGroup(ArrayRef<int64_t> whole, ArrayRef<int64_t> target,
                         function_ref<bool(ArrayRef<size_t>, ArrayRef<size_t>)> visit) {
  size_t dim = 0, other = 0;
  while (true) {
    while (dim < whole.size() && whole[dim] == 1)
      ++dim;
    while (other < target.size() && target[other] == 1)
      ++other;
    if (dim == whole.size() || other == target.size())
      return dim == whole.size() && other == target.size();
    SmallVector<size_t> dims{dim}, others{other};
    int64_t size = whole[dim++], otherSize = target[other++];
    while (size != otherSize) {
      if (size < otherSize ? dim == whole.size() : other == target.size())
        return false;
      if (size < otherSize) {
        size *= whole[dim];
        dims.push_back(dim++);
      } else {
        otherSize *= target[other];
        others.push_back(other++);
      }
    }
    if (!visit(dims, others))
      return false;
  }
}

std::optional<SmallVector<int64_t>> fitShape(ArrayRef<int64_t> whole, ArrayRef<int64_t> small,
                                             ArrayRef<int64_t> target) {
  SmallVector<int64_t> shape(target.size(), 1);
  bool fits = forEachGroup(whole, target, [&](ArrayRef<size_t> dims, ArrayRef<size_t> others) {
    auto isReduced = [&](size_t dim) { return small[dim] == 1 && whole[dim] != 1; };
    if (llvm::all_of(dims, isReduced))
      return true;
    for (size_t other : others)
      shape[other] = target[other];
    return llvm::none_of(dims, isReduced);
  });
  return fits ? std::optional(shape) : std::nullopt;
}

namespace {

/// Makes values without their repetitions.
class Narrower {
public:
  Narrower(PatternRewriter &rewriter, Location loc) : rewriter(rewriter), loc(loc) {}

  /// Returns the shape of `value` with size 1 where it repeats.
  SmallVector<int64_t> findShape(Value value);
  /// Returns `value` in `shape`, in which dimensions along which it repeats have size 1.
  Value rebuild(Value value, ArrayRef<int64_t> shape);

private:
  SmallVector<int64_t> computeShape(Value value);
  Value rebuildConstant(ConstantOp op, ArrayRef<int64_t> shape);
  Value rebuildBroadcast(BroadcastOp op, ArrayRef<int64_t> shape);

  PatternRewriter &rewriter;
  Location loc;
  DenseMap<Value, SmallVector<int64_t>> shapes;
};

} // namespace

SmallVector<int64_t> Narrower::findShape(Value value) {
  auto found = shapes.find(value);
  if (found != shapes.end())
    return found->second;
  SmallVector<int64_t> shape = computeShape(value);
  shapes[value] = shape;
  return shape;
}

SmallVector<int64_t> Narrower::computeShape(Value value) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  Operation *op = value.getDefiningOp();
  if (!op)
    return shape;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return spread(broadcast, findShape(broadcast.getInput()));
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size != 1 && cutFirstPart(constant.getValue(), dim, size))
        shape[dim] = 1;
    return shape;
  }
  if (!op->hasTrait<Elementwise>())
    return shape;
  SmallVector<int64_t> all(shape.size(), 1);
  for (Value operand : op->getOperands())
    for (auto [size, own] : llvm::zip(all, findShape(operand)))
      size = std::max(size, own);
  return all;
}

Value Narrower::rebuildConstant(ConstantOp op, ArrayRef<int64_t> shape) {
  ElementsAttr value = op.getValue();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == 1 && op.getType().getDimSize(dim) != 1)
      value = cutFirstPart(value, dim, op.getType().getDimSize(dim));
  return ConstantOp::create(rewriter, op.getLoc(), op.getType().clone(shape), value);
}

Value Narrower::rebuildBroadcast(BroadcastOp op, ArrayRef<int64_t> shape) {
  Value input = op.getInput();
  SmallVector<int64_t> small(typeOf(input).getShape());
  for (auto [dim, size] : llvm::zip(op.getDims(), small))
    if (shape[dim] == 1)
      size = 1;
  Value value = rebuild(input, small);
  RankedTensorType type = typeOf(value).clone(shape);
  if (type.getNumElements() == typeOf(value).getNumElements())
    return type == value.getType() ? value : ReshapeOp::create(rewriter, loc, type, value);
  return BroadcastOp::create(rewriter, loc, type, value, op.getDims());
}

Value Narrower::rebuild(Value value, ArrayRef<int64_t> shape) {
  Operation *op = value.getDefiningOp();
  if (typeOf(value).getShape() == shape)
    return value;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return rebuildConstant(constant, shape);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return rebuildBroadcast(broadcast, shape);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, rebuild(operand, shape));
  Value result = rewriter.clone(*op, mapping)->getResult(0);
  result.setType(typeOf(value).clone(shape));
  return result;
}

Value narrow(Value value, ArrayRef<int64_t> target, PatternRewriter &rewriter, Location loc) {
  Narrower narrower(rewriter, loc);
  SmallVector<int64_t> whole(typeOf(value).getShape()), small = narrower.findShape(value);
  // Dimensions that become one dimension of `target` repeat together or not at all.
  forEachGroup(whole, target, [&](ArrayRef<size_t> dims, ArrayRef<size_t>) {
    bool repeats = llvm::all_of(dims, [&](size_t dim) { return small[dim] == 1; });
    for (size_t dim : dims)
      small[dim] = repeats ? 1 : whole[dim];
    return true;
  });
  SmallVector<int64_t> shape =
      fitShape(whole, small, target).value_or(SmallVector<int64_t>(target));
  Value rebuilt = narrower.rebuild(value, small);
  RankedTensorType type = typeOf(rebuilt).clone(shape);
  return type == rebuilt.getType() ? rebuilt : ReshapeOp::create(rewriter, loc, type, rebuilt);
}

} // namespace pcc::graph
