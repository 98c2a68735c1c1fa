// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of top_k, argmax and argmin along a split axis. Each rank finds the best of its own
// block. All ranks gather these few candidates with their numbers in the whole, and find the best
// of them.
//
//   top_k of 2 among 8 on 2 ranks    rank 0: 3 9 1 9    rank 1: 4 9 7 2
//   the best of each block           9 9 (1, 3)         9 7 (5, 6)
//   gathered, the best of them       9 9 9 7 (1, 3, 5, 6): 9 9 (1, 3)
//
// Candidates lie in the order of their blocks, and equal candidates of a block in the order of
// their numbers. Among equal elements the result is thus the same one as from the whole.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using pcc::analysis::LocalFormOpInterface;
using pcc::dist::AxisList;
using pcc::graph::DecompositionBuilder;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `type` with `size` elements along `axis`.
RankedTensorType resized(RankedTensorType type, int64_t axis, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  return type.clone(shape);
}

/// `value` with its dimension `from` moved to `to`.
Value moveDim(DecompositionBuilder &builder, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return builder.make<graph::TransposeOp>(value, order);
}

/// Gathers, along `axis`, the elements of `list` at `places`. Rows of both are laid end to end.
Value takeAlong(DecompositionBuilder &builder, Value list, Value places, int64_t axis) {
  int64_t last = typeOf(list).getRank() - 1;
  list = moveDim(builder, list, axis, last);
  places = moveDim(builder, places, axis, last);
  RankedTensorType type = typeOf(places);
  int64_t length = typeOf(list).getDimSize(last), size = typeOf(list).getNumElements();
  int64_t rows = size / length;
  auto rowType = RankedTensorType::get({rows, type.getDimSize(last)}, type.getElementType());
  Value row = builder.make<graph::IotaOp>(rowType, 0);
  Value first = builder.make<graph::MulOp>(row, builder.splat(row, static_cast<double>(length)));
  Value flat = builder.make<graph::ReshapeOp>(
      RankedTensorType::get({size}, typeOf(list).getElementType()), list);
  Value at = builder.make<graph::AddOp>(builder.make<graph::ReshapeOp>(rowType, places), first);
  Value taken = builder.make<graph::GatherOp>(flat, at, /*axis=*/0);
  Value shaped = builder.make<graph::ReshapeOp>(type.clone(typeOf(list).getElementType()), taken);
  return moveDim(builder, shaped, last, axis);
}

/// The split axis of an op, with the mesh axes that cut it.
struct SplitAxis {
  template <typename Op>
  explicit SplitAxis(Op op)
      : axis(op.getAxis()), axes(analysis::getOperandSharding(op, 0).getDim(axis)),
        count(dist::getMesh(op).getSize(axes)) {}

  bool isWhole() const { return axes.empty(); }

  /// Gathers the candidates of all ranks, in the order of their blocks.
  Value gather(DecompositionBuilder &builder, Value own) const {
    RankedTensorType type = typeOf(own);
    type = resized(type, axis, type.getDimSize(axis) * count);
    return dist::AllGatherOp::create(builder, builder.getLoc(), type, own, axis,
                                     dist::GroupAttr::get(builder.getContext(), axes));
  }

  /// Converts numbers in a block of `blockSize` to numbers in the whole.
  Value toGlobal(DecompositionBuilder &builder, Value numbers, int64_t blockSize) const {
    Value offset = makeOffset(builder, builder.getLoc(), axes, blockSize);
    return builder.make<graph::AddOp>(numbers,
                                      spread(builder, builder.getLoc(), offset, typeOf(numbers)));
  }

  int64_t axis;
  AxisList axes;
  int64_t count; ///< number of blocks
};

struct TopKForm : LocalFormOpInterface::ExternalModel<TopKForm, graph::TopKOp> {
  /// The axis of the operand may be split; the places of the result stay whole.
  bool canSplitWhole(Operation *op, unsigned factor) const {
    auto topK = cast<graph::TopKOp>(op);
    FactorRule rule = topK.getFactorRule();
    return llvm::is_contained(rule.getOperands()[0][topK.getAxis()], factor);
  }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &outer, ValueRange operands, TypeRange types) const {
    auto topK = cast<graph::TopKOp>(op);
    SplitAxis split(topK);
    if (split.isWhole())
      return {};
    DecompositionBuilder builder(op->getLoc(), outer);
    int64_t axis = split.axis, block = typeOf(operands[0]).getDimSize(axis);
    auto valueType = cast<RankedTensorType>(types[0]),
         numberType = cast<RankedTensorType>(types[1]);
    int64_t candidates = std::min(block, valueType.getDimSize(axis));
    Operation *own =
        cloneOn(builder, op, operands,
                {resized(valueType, axis, candidates), resized(numberType, axis, candidates)});
    Value values = split.gather(builder, own->getResult(0));
    Value numbers = split.gather(builder, split.toGlobal(builder, own->getResult(1), block));
    Operation *best = cloneOn(builder, op, values, types);
    return {best->getResult(0), takeAlong(builder, numbers, best->getResult(1), axis)};
  }
};

/// Argmax or argmin; `kind` is the reduction that yields the element itself.
template <typename Op, graph::ReduceOpKind kind>
struct ArgForm : LocalFormOpInterface::ExternalModel<ArgForm<Op, kind>, Op> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &outer, ValueRange operands, TypeRange types) const {
    SplitAxis split(cast<Op>(op));
    if (split.isWhole())
      return {};
    DecompositionBuilder builder(op->getLoc(), outer);
    Value number = cloneOn(builder, op, operands, types)->getResult(0);
    number = split.toGlobal(builder, number, typeOf(operands[0]).getDimSize(split.axis));
    Value element = builder.make<graph::ReduceOp>(kind, operands[0], split.axis);
    auto one = resized(typeOf(operands[0]), split.axis, 1);
    auto gather = [&](Value own) {
      Type type = one.clone(typeOf(own).getElementType());
      return split.gather(builder, builder.make<graph::ReshapeOp>(type, own));
    };
    Value elements = gather(element), numbers = gather(number);
    Value best = cloneOn(builder, op, elements, types)->getResult(0);
    Value place = builder.make<graph::ReshapeOp>(one.clone(typeOf(best).getElementType()), best);
    Value taken = takeAlong(builder, numbers, place, split.axis);
    return {builder.make<graph::ReshapeOp>(types.front(), taken)};
  }
};

} // namespace

void attachOrderForms(MLIRContext *context) {
  using graph::ReduceOpKind;
  graph::TopKOp::attachInterface<TopKForm>(*context);
  graph::ArgmaxOp::attachInterface<ArgForm<graph::ArgmaxOp, ReduceOpKind::Max>>(*context);
  graph::ArgminOp::attachInterface<ArgForm<graph::ArgminOp, ReduceOpKind::Min>>(*context);
}

} // namespace pcc::partition
