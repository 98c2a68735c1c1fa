// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of a self-attention whose positions are split: blocks of key and value travel around
// a ring of ranks, while each rank attends to the block that it holds (Liu et al.: Ring Attention
// with Blockwise Transformers, ICLR 2024).
//
//   step  rank 0  rank 1  rank 2      rank r holds the key's block r - step
//   0     k0 v0   k1 v1   k2 v2
//   1     k2 v2   k0 v0   k1 v1
//   2     k1 v1   k2 v2   k0 v0
//
// The parts of the softmax are joined by the logarithms of their sums. The permutation that fetches
// the next block does not depend on the current step, so it hides under that step. In the gradient,
// the sums for key and value travel with their blocks until they reach the block's rank. Step 0
// comes last there: the rank works on its own block while the sums of the others arrive.
//
// A causal attention of contiguous blocks would leave rank 0 with one visible block and the last
// rank with all of them. So blocks are first exchanged for two halves each, of which rank r of n
// has numbers r and 2n - 1 - r. Then all ranks see equally much in each step.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "passes/partition/LocalValues.h"

#include <limits>

using namespace mlir;
using namespace pcc::graph;
using pcc::dist::AxisList;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

constexpr int64_t positionDim = 2; ///< of all tensors of an attention

RankedTensorType tensorTypeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Two blocks in one step: `query` and `key` are their indices on this rank.
struct BlockPair {
  unsigned query, key;
  UnitAttr causal; ///< null: every position sees the whole block
  Value offset;    ///< of a causal attention; null: the blocks have the same positions
};

/// The ring of ranks, and who sees what in each of its steps.
template <typename Op> class Ring {
public:
  Ring(Op op, const OpBuilder &insert, ValueRange operands, const AxisList &axes)
      : op(op), builder(op.getLoc(), insert), axes(axes), operands(operands),
        group(dist::GroupAttr::get(op.getContext(), axes)), count(dist::getMesh(op).getSize(axes)),
        positions(tensorTypeOf(operands[0]).getDimSize(positionDim)),
        isBalanced(op.getCausal() && !op.getOffset() && positions % 2 == 0) {
    SmallVector<SmallVector<int64_t>> pairs;
    for (int64_t rank = 0; rank < count; ++rank)
      pairs.push_back({rank, (rank + 1) % count});
    neighbors = tableOf(pairs);
  }

  int64_t steps() const { return count; }
  unsigned blocks() const { return isBalanced ? 2 : 1; }

  /// Returns the operand on the positions that this rank works on.
  Value enter(Value block) { return isBalanced ? exchangeHalves(block, /*isBack=*/false) : block; }
  /// Returns this rank's own positions of a result.
  Value leave(Value block) { return isBalanced ? exchangeHalves(block, /*isBack=*/true) : block; }

  /// Sends a value to the next rank, and returns that of the previous one.
  Value shift(Value value) {
    return dist::CollectivePermuteOp::create(builder, value.getType(), value, neighbors, group);
  }

  Values split(Value value) {
    if (!isBalanced)
      return {value};
    SmallVector<int64_t> shape(tensorTypeOf(value).getShape());
    shape[positionDim] = positions / 2;
    RankedTensorType half = tensorTypeOf(value).clone(shape);
    return {builder.make<SliceOp>(half, value, positionDim, 0),
            builder.make<SliceOp>(half, value, positionDim, positions / 2)};
  }
  Value join(ValueRange values) {
    return values.size() == 1 ? values.front() : builder.make<ConcatOp>(values, positionDim);
  }

  /// Lists the pairs of blocks of which some rank sees a position in this step.
  SmallVector<BlockPair> pairsOf(int64_t step) {
    UnitAttr causal = op.getCausalAttr();
    if (!causal)
      return {{0, 0, causal, Value()}};
    Value blocks = step ? distance(step) : Value();
    if (!isBalanced)
      return {{0, 0, causal, offsetBy(blocks, positions)}};
    // Half r of the query and half s of the key are r - s halves apart, the other two s - r. The
    // query's later half follows the key's earlier one on all ranks.
    return {{0, 0, causal, offsetBy(blocks, positions / 2)},
            {1, 0, UnitAttr(), Value()},
            {1, 1, causal, offsetBy(blocks, -positions / 2)}};
  }

  /// Whether a row may have seen nothing in all steps so far.
  bool mayBeEmpty() { return op.getCausal() && op.getOffset(); }

  Op op;
  DecompositionBuilder builder;

private:
  dist::TableAttr tableOf(ArrayRef<SmallVector<int64_t>> rows) {
    return dist::TableAttr::get(builder.getContext(), rows);
  }

  /// Returns by how many blocks the query's block r follows the key's block of this step,
  /// (r - step) mod n, a tensor<i64>.
  Value distance(int64_t step) {
    Value rank = makePosition(builder, op.getLoc(), axes);
    auto number = [&](int64_t value) { return builder.splat(rank, double(value)); };
    Value isBehind = builder.make<CompareOp>(Direction::GE, rank, number(step));
    return builder.make<SelectOp>(isBehind, number(step), number(step - count));
  }

  /// Returns the offset between blocks of `size` positions that are `blocks` apart, or the same if
  /// `blocks` is null; null if there is none.
  Value offsetBy(Value blocks, int64_t size) {
    Value own = op.getOffset() ? operands[op.getOffsetMutable()[0].getOperandNumber()] : Value();
    if (!blocks)
      return own;
    Value offset = builder.make<MulOp>(blocks, builder.splat(blocks, double(size)));
    return own ? builder.make<AddOp>(offset, own) : offset;
  }

  /// Exchanges contiguous halves for halves r and 2n - 1 - r, or back.
  Value exchangeHalves(Value block, bool isBack) {
    SmallVector<SmallVector<int64_t>> rows;
    SmallVector<int64_t> size(tensorTypeOf(block).getShape());
    size[positionDim] = positions / 2;
    for (int64_t rank = 0; rank < count; ++rank)
      for (int64_t half : {0, 1}) {
        int64_t number = half ? 2 * count - 1 - rank : rank;
        SmallVector<int64_t> contiguous(size.size(), 0), balanced = contiguous;
        contiguous[positionDim] = number % 2 * size[positionDim];
        balanced[positionDim] = half * size[positionDim];
        int64_t owner = number / 2;
        SmallVector<int64_t> &row = rows.emplace_back();
        row.append({isBack ? owner : rank, isBack ? rank : owner});
        row.append(isBack ? balanced : contiguous);
        row.append(size);
        row.append(isBack ? contiguous : balanced);
      }
    return dist::BlockExchangeOp::create(builder, block.getType(), block, tableOf(rows), group,
                                         /*adding=*/false);
  }

  AxisList axes;
  ValueRange operands;
  dist::GroupAttr group;
  dist::TableAttr neighbors; ///< of each rank: the next one
  int64_t count;             ///< ranks
  int64_t positions;         ///< of a rank's block
  bool isBalanced;
};

/// The softmax over some blocks of the key: what `attention` returns.
struct Part {
  Value result;
  Value logSum;
};

/// Joins the softmax over some keys with that over others. With a and b the logarithms of their
/// sums, the results weigh exp(a) and exp(b).
Part joinParts(DecompositionBuilder &b, const Part &left, const Part &right, bool mayBeEmpty) {
  constexpr double hidden = -std::numeric_limits<double>::infinity();
  Value maximum = b.make<MaxOp>(left.logSum, right.logSum);
  if (mayBeEmpty) { // the difference of two infinities is not a number
    Value hasVisible = b.make<CompareOp>(Direction::GT, maximum, b.splat(maximum, hidden));
    maximum = b.make<SelectOp>(hasVisible, maximum, b.splat(maximum, 0.0));
  }
  auto power = [&](const Part &part) -> Value {
    return b.make<ExpOp>(b.make<SubOp>(part.logSum, maximum));
  };
  Value ofLeft = power(left), ofRight = power(right);
  Value sum = b.make<AddOp>(ofLeft, ofRight);
  Value logSum = b.make<AddOp>(maximum, b.make<LogOp>(sum));
  if (mayBeEmpty)
    sum = b.make<MaxOp>(sum, b.splat(sum, std::numeric_limits<float>::min()));
  Type wide = tensorTypeOf(logSum).getElementType();
  auto weigh = [&](const Part &part, Value powers) -> Value {
    Value result = b.castTo(part.result, wide);
    return b.make<MulOp>(result, b.repeatAlong(b.make<DivOp>(powers, sum), result, 3));
  };
  Value result = b.make<AddOp>(weigh(left, ofLeft), weigh(right, ofRight));
  return {result, logSum};
}

/// Adds `value` to `sum` in the element type of accumulators; a null sum is zero.
void addTo(DecompositionBuilder &b, Value &sum, Value value) {
  value = b.castTo(value, accumulatorOf(tensorTypeOf(value).getElementType()));
  sum = sum ? b.make<AddOp>(sum, value) : value;
}

} // namespace

Values buildRing(AttentionOp op, const OpBuilder &insert, ValueRange operands,
                 const AxisList &axes) {
  Ring ring(op, insert, operands, axes);
  DecompositionBuilder &b = ring.builder;
  Values queries = ring.split(ring.enter(operands[0]));
  Value key = ring.enter(operands[1]), value = ring.enter(operands[2]);
  SmallVector<Part> parts(ring.blocks());
  for (int64_t step = 0; step < ring.steps(); ++step) {
    Values keys = ring.split(key), values = ring.split(value);
    if (step + 1 < ring.steps()) {
      key = ring.shift(key);
      value = ring.shift(value);
    }
    for (const BlockPair &pair : ring.pairsOf(step)) {
      auto attention =
          AttentionOp::create(b, queries[pair.query], keys[pair.key], values[pair.key],
                              /*mask=*/Value(), pair.offset, op.getScaleAttr(), pair.causal);
      Part part = {attention.getResult(), attention.getLogSum()};
      Part &sum = parts[pair.query];
      sum = sum.result ? joinParts(b, sum, part, ring.mayBeEmpty()) : part;
    }
  }
  Values results, logSums;
  for (const Part &part : parts) {
    results.push_back(b.castTo(part.result, tensorTypeOf(operands[0]).getElementType()));
    logSums.push_back(part.logSum);
  }
  return {ring.leave(ring.join(results)), ring.leave(ring.join(logSums))};
}

Values buildRing(AttentionGradientOp op, const OpBuilder &insert, ValueRange operands,
                 const AxisList &axes) {
  Ring ring(op, insert, operands, axes);
  DecompositionBuilder &b = ring.builder;
  Type element = tensorTypeOf(operands[0]).getElementType();
  auto enterBlocks = [&](unsigned operand) { return ring.split(ring.enter(operands[operand])); };
  Values queries = enterBlocks(0), results = enterBlocks(3), logSums = enterBlocks(4);
  Values gradients = enterBlocks(5), ofQueries(ring.blocks());
  // Adds up the gradients of a step; returns those of its block of key and value.
  auto addStep = [&](int64_t step, Value key, Value value) {
    Values keys = ring.split(key), values = ring.split(value);
    Values ofKeys(ring.blocks()), ofValues(ring.blocks());
    for (const BlockPair &pair : ring.pairsOf(step)) {
      Value query = queries[pair.query], block = keys[pair.key], ofBlock = values[pair.key];
      auto gradient = AttentionGradientOp::create(
          b, query.getType(), block.getType(), ofBlock.getType(), query, block, ofBlock,
          results[pair.query], logSums[pair.query], gradients[pair.query], /*mask=*/Value(),
          pair.offset, op.getScaleAttr(), pair.causal);
      addTo(b, ofQueries[pair.query], gradient.getQueryGradient());
      addTo(b, ofKeys[pair.key], gradient.getKeyGradient());
      addTo(b, ofValues[pair.key], gradient.getValueGradient());
    }
    return std::pair(ring.join(ofKeys), ring.join(ofValues));
  };
  Value ownKey = ring.enter(operands[1]), ownValue = ring.enter(operands[2]);
  Value key = ring.shift(ownKey), value = ring.shift(ownValue), ofKey, ofValue;
  for (int64_t step = 1; step < ring.steps(); ++step) {
    Value heldKey = key, heldValue = value;
    if (step + 1 < ring.steps()) {
      key = ring.shift(key);
      value = ring.shift(value);
    }
    auto [ofHeldKey, ofHeldValue] = addStep(step, heldKey, heldValue);
    addTo(b, ofKey, ofHeldKey);
    addTo(b, ofValue, ofHeldValue);
    ofKey = ring.shift(ofKey);
    ofValue = ring.shift(ofValue);
  }
  auto [ofOwnKey, ofOwnValue] = addStep(0, ownKey, ownValue);
  addTo(b, ofKey, ofOwnKey);
  addTo(b, ofValue, ofOwnValue);
  auto finish = [&](Value sum) { return ring.leave(b.castTo(sum, element)); };
  return {finish(ring.join(ofQueries)), finish(ofKey), finish(ofValue)};
}

} // namespace pcc::partition
