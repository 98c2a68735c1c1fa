// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes out the equations operation by operation, including the softmax. A causal mask compares
// generated position indices and selects -∞. Transposes are swapped strides or reshapes. If heads
// share a key, the gradients of key and value are summed over these heads.

#include "runtime/device/cuda/library/CudnnInstructionGraphs.h"

namespace pcc::runtime::cuda::dnn {
namespace {

using Number = AttentionTensor;

class AttentionGraph {
public:
  AttentionGraph(const Cudnn &library, const abi::Attention &attention)
      : a(attention), graph(library), type(dataTypeOf(attention.type())),
        query(graph.memory(Number::query, rows(a.width()))),
        key(graph.memory(Number::key, swapDims(keyRows(a.width()), 2, 3))),
        value(graph.memory(Number::value, a.has_gradients() ? swapDims(keyRows(a.depth()), 2, 3)
                                                            : keyRows(a.depth()))),
        result(graph.memory(Number::result, rows(a.depth()))),
        logSum(graph.memory(Number::logSum, eachRow())),
        scale(graph.value(Number::scale, DataType::Float)) {}

  Graph take() && {
    a.has_gradients() ? addGradients() : addForward();
    return std::move(graph);
  }

private:
  TensorLayout rows(int64_t width) const { return laidOut(a.heads(), a.positions(), width); }
  TensorLayout keyRows(int64_t width) const {
    return laidOut(a.groups(), a.key_positions(), width);
  }
  /// Returns a layout with heads before positions, for either order in memory.
  TensorLayout laidOut(int64_t heads, int64_t positions, int64_t width) const {
    return a.positions_first()
               ? swapDims(denseLayout(type, {a.batch(), positions, heads, width}), 1, 2)
               : denseLayout(type, {a.batch(), heads, positions, width});
  }
  TensorLayout eachRow() const {
    return denseLayout(DataType::Float, {a.batch(), a.heads(), a.positions(), 1});
  }
  TensorLayout eachScore() const {
    return denseLayout(DataType::Float, {a.batch(), a.heads(), a.positions(), a.key_positions()});
  }

  Tensor score();
  Tensor applyCausalMask(const Tensor &scores);
  Tensor shiftToLastKey(const Tensor &positions);
  Tensor reduced(ReductionOperator how, const Tensor &scores);
  Tensor transposed(const Tensor &scores);
  Tensor meanOf(const Tensor &given);
  void sumOverRows(const Tensor &scores, const Tensor &factor, int64_t number, int64_t width);
  void addForward();
  void addGradients();

  const abi::Attention &a;
  Graph graph;
  const DataType type;
  Tensor query, key, value, result, logSum, scale; ///< in the gradient, `value` is transposed
};

/// Returns scale · query keyᵀ + mask.
Tensor AttentionGraph::score() {
  Tensor products = graph.inner(eachScore());
  graph.matmul(query, key, products);
  Tensor scores = graph.pointwise(PointwiseMode::Mul, products, scale);
  if (!a.has_mask())
    return scores;
  Extents sizes(a.mask_shape().begin(), a.mask_shape().end());
  Tensor mask = graph.memory(Number::mask, denseLayout(type, std::move(sizes)));
  return graph.pointwise(PointwiseMode::Add, scores, mask);
}

/// Maps each query position to the last key position that it attends to.
Tensor AttentionGraph::shiftToLastKey(const Tensor &positions) {
  Tensor keys = graph.value(Number::keyPositions, DataType::Int32);
  Tensor queries = graph.value(Number::positions, DataType::Int32);
  Tensor added = graph.inner(positions.layout), shifted = graph.inner(positions.layout);
  graph.pointwise(PointwiseMode::Add, DataType::Int32, positions, &keys, added);
  graph.pointwise(PointwiseMode::Sub, DataType::Int32, added, &queries, shifted);
  return shifted;
}

Tensor AttentionGraph::applyCausalMask(const Tensor &scores) {
  if (!a.causal())
    return scores;
  Tensor last = graph.positions(scores, 2);
  if (a.positions() != a.key_positions())
    last = shiftToLastKey(last);
  Tensor at = graph.positions(scores, 3);
  Tensor isSeen = graph.inner({DataType::Boolean, scores.layout.sizes, scores.layout.strides});
  graph.pointwise(PointwiseMode::GreaterOrEqual, DataType::Boolean, last, &at, isSeen);
  Tensor hidden = graph.value(Number::hidden, DataType::Float);
  Tensor chosen = graph.inner(scores.layout);
  graph.pointwise(PointwiseMode::BinarySelect, DataType::Float, scores, &hidden, chosen, &isSeen);
  return chosen;
}

Tensor AttentionGraph::reduced(ReductionOperator how, const Tensor &scores) {
  Tensor result = graph.inner(eachRow());
  graph.reduce(how, scores, result);
  return result;
}

void AttentionGraph::addForward() {
  Tensor scores = applyCausalMask(score());
  Tensor greatest = reduced(ReductionOperator::Max, scores);
  Tensor shifted = graph.pointwise(PointwiseMode::Sub, scores, greatest);
  Tensor weights = graph.pointwise(PointwiseMode::Exp, shifted);
  Tensor sum = reduced(ReductionOperator::Add, weights);
  Tensor logarithm = graph.pointwise(PointwiseMode::Log, sum);
  graph.pointwise(PointwiseMode::Add, DataType::Float, greatest, &logarithm, logSum);
  Tensor shares = graph.inner(denseLayout(type, weights.layout.sizes));
  graph.pointwise(PointwiseMode::Div, DataType::Float, weights, &sum, shares);
  graph.matmul(shares, value, result);
}

/// Returns the transpose in the instruction's type, with the key's positions as rows.
Tensor AttentionGraph::transposed(const Tensor &scores) {
  TensorLayout layout = swapDims(scores.layout, 2, 3);
  layout.type = type;
  Tensor result = graph.inner(std::move(layout));
  graph.reshape(scores, result);
  return result;
}

/// Returns Σ given · result of each row.
Tensor AttentionGraph::meanOf(const Tensor &given) {
  Tensor products = graph.pointwise(PointwiseMode::Mul, given, result);
  Tensor sums = reduced(ReductionOperator::Add, products);
  Tensor one = graph.value(Number::one, DataType::Float);
  Tensor mean = graph.memory(Number::mean, eachRow());
  graph.pointwise(PointwiseMode::Mul, DataType::Float, sums, &one, mean);
  return mean;
}

/// Computes scoresᵀ factor, summed over the heads that share the key.
void AttentionGraph::sumOverRows(const Tensor &scores, const Tensor &factor, int64_t number,
                                 int64_t width) {
  Tensor sums = graph.memory(number, keyRows(width));
  if (a.heads() == a.groups())
    return graph.matmul(transposed(scores), factor, sums);
  Tensor each = graph.inner(denseLayout(type, {a.batch(), a.heads(), a.key_positions(), width}));
  graph.matmul(transposed(scores), factor, each);
  graph.reduce(ReductionOperator::Add, each, sums);
}

void AttentionGraph::addGradients() {
  Tensor given = graph.memory(Number::given, rows(a.depth()));
  Tensor mean = meanOf(given);
  Tensor shifted = graph.pointwise(PointwiseMode::Sub, score(), logSum);
  Tensor weights = graph.pointwise(PointwiseMode::Exp, applyCausalMask(shifted));
  sumOverRows(weights, given, Number::ofValue, a.depth());
  Tensor ofWeights = graph.inner(eachScore());
  graph.matmul(given, value, ofWeights);
  Tensor apart = graph.pointwise(PointwiseMode::Sub, ofWeights, mean);
  Tensor ofSoftmax = graph.pointwise(PointwiseMode::Mul, apart, weights);
  Tensor ofScores = graph.pointwise(PointwiseMode::Mul, ofSoftmax, scale);
  sumOverRows(ofScores, query, Number::ofKey, a.width());
  Tensor keys = graph.inner(keyRows(a.width()));
  graph.reshape(key, keys);
  // The query's gradient is one matmul with the gradient of the scores. Sums of blocks would be
  // added to memory in an order that differs from run to run.
  graph.matmul(ofScores, keys, graph.memory(Number::ofQuery, rows(a.width())));
}

} // namespace

bool isExpressible(const abi::Attention &attention) {
  bool isHalf = attention.type() == abi::F16 || attention.type() == abi::BF16;
  bool seesSomething = !attention.causal() || attention.positions() <= attention.key_positions();
  // A mask that is constant along the key hides a whole row by a score of -∞.
  bool hidesRows = attention.has_mask() && attention.mask_shape(3) != attention.key_positions();
  return isHalf && seesSomething && !hidesRows && !attention.has_offset();
}

Graph attentionGraph(const Cudnn &library, const abi::Attention &attention) {
  return AttentionGraph(library, attention).take();
}

} // namespace pcc::runtime::cuda::dnn
