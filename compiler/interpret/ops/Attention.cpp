// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, its gradient, and rotary embedding, row by row as in the formulas.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Scalars.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Sizes of one attention, and access to the rows of its tensors.
class Attention {
public:
  /// `in`: query, key and value first; `mask` and `offset` may be null. An offset beyond all
  /// positions is limited: every position sees all keys or none, and no sum overflows.
  template <typename Op>
  Attention(Op op, llvm::ArrayRef<Tensor> in, const Tensor *mask, const Tensor *offset)
      : query(in[0]), key(in[1]), value(in[2]), mask(mask), scale(op.getScale().convertToDouble()),
        isCausal(op.getCausal()), batch(query.getDim(0)), heads(query.getDim(1)),
        positions(query.getDim(2)), groups(key.getDim(1)), seen(key.getDim(2)),
        width(query.getDim(3)), depth(value.getDim(3)),
        offset(offset ? std::clamp((*offset)[0].i, -positions, seen) : seen - positions) {}

  int64_t rows() const { return batch * heads * positions; }
  int64_t headOf(int64_t row) const { return row / positions; }
  /// Returns the number of the key and value head that a row reads, over all samples.
  int64_t groupOf(int64_t row) const {
    int64_t sample = headOf(row) / heads, head = headOf(row) % heads;
    return sample * groups + head / (heads / groups);
  }

  /// Returns scale · query · key + mask for a row and a position of the key.
  double score(int64_t row, int64_t to) const {
    int64_t from = row % positions, other = groupOf(row) * seen + to;
    if (isCausal && to > from + offset)
      return -HUGE_VAL;
    double sum = 0.0;
    for (int64_t i = 0; i < width; ++i)
      sum += query[row * width + i].f * key[other * width + i].f;
    return scale * sum + maskAt(row, to);
  }

  /// Returns the softmax of a row's scores; zeros if the row sees nothing. Uses the log-sum
  /// `given`, or else sets `logSum`.
  std::vector<double> weights(int64_t row, std::optional<double> given, double *logSum) const {
    std::vector<double> weights(seen);
    double greatest = -HUGE_VAL, sum = 0.0;
    for (int64_t to = 0; to < seen; ++to)
      greatest = maximum(greatest, weights[to] = score(row, to));
    double shift = given.value_or(greatest);
    if (shift == -HUGE_VAL)
      shift = 0.0;
    for (double &weight : weights)
      sum += weight = std::exp(weight - shift);
    if (given)
      return weights;
    *logSum = shift + std::log(sum);
    for (double &weight : weights)
      weight = sum == 0.0 ? 0.0 : weight / sum;
    return weights;
  }

private:
  double maskAt(int64_t row, int64_t to) const {
    if (!mask)
      return 0.0;
    int64_t indices[] = {headOf(row) / heads, headOf(row) % heads, row % positions, to};
    int64_t flat = 0;
    for (int64_t dim = 0; dim < 4; ++dim)
      flat = flat * mask->getDim(dim) + (mask->getDim(dim) == 1 ? 0 : indices[dim]);
    return (*mask)[flat].f;
  }

public:
  const Tensor &query, &key, &value;
  const Tensor *mask;
  const double scale;
  const bool isCausal;
  const int64_t batch, heads, positions, groups, seen, width, depth, offset;
};

/// Returns the operand at the position of `given`; null if the op has none.
const Tensor *optionalOperand(OpCall &call, OperandRange given) {
  return given.empty() ? nullptr : &call.operands[given.getBeginOperandIndex()];
}

LogicalResult attention(graph::AttentionOp op, OpCall &call) {
  Attention attention(op, call.operands, optionalOperand(call, op.getODSOperands(3)),
                      optionalOperand(call, op.getODSOperands(4)));
  Tensor result = zerosOf(op.getResult().getType()), logSums = zerosOf(op.getLogSum().getType());
  llvm::MutableArrayRef<Element> out = result.mutableElements(), sums = logSums.mutableElements();
  for (int64_t row = 0; row < attention.rows(); ++row) {
    std::vector<double> weights = attention.weights(row, std::nullopt, &sums[row].f);
    for (int64_t to = 0; to < attention.seen; ++to)
      for (int64_t i = 0; weights[to] != 0.0 && i < attention.depth; ++i) {
        int64_t other = (attention.groupOf(row) * attention.seen + to) * attention.depth + i;
        out[row * attention.depth + i].f += weights[to] * attention.value[other].f;
      }
  }
  call.results.append({result, logSums});
  return success();
}

/// Computes dW = G Vᵀ and dscores = W (dW - G · result), then the gradients of the matmuls from
/// dscores.
LogicalResult attentionGradient(graph::AttentionGradientOp op, OpCall &call) {
  Attention attention(op, call.operands, optionalOperand(call, op.getODSOperands(6)),
                      optionalOperand(call, op.getODSOperands(7)));
  const Tensor &result = call.operands[3], &logSums = call.operands[4], &given = call.operands[5];
  Tensor queries = zerosOf(op.getQuery().getType()), keys = zerosOf(op.getKey().getType()),
         values = zerosOf(op.getValue().getType());
  Element *dq = queries.mutableElements().data(), *dk = keys.mutableElements().data(),
          *dv = values.mutableElements().data();
  int64_t width = attention.width, depth = attention.depth;
  for (int64_t row = 0; row < attention.rows(); ++row) {
    std::vector<double> weights = attention.weights(row, logSums[row].f, nullptr);
    double mean = 0.0;
    for (int64_t i = 0; i < depth; ++i)
      mean += given[row * depth + i].f * result[row * depth + i].f;
    for (int64_t to = 0; to < attention.seen; ++to) {
      int64_t other = attention.groupOf(row) * attention.seen + to;
      double ofWeight = 0.0;
      for (int64_t i = 0; i < depth; ++i) {
        ofWeight += given[row * depth + i].f * attention.value[other * depth + i].f;
        dv[other * depth + i].f += weights[to] * given[row * depth + i].f;
      }
      double ofScore = attention.scale * weights[to] * (ofWeight - mean);
      for (int64_t i = 0; i < width; ++i) {
        dq[row * width + i].f += ofScore * attention.key[other * width + i].f;
        dk[other * width + i].f += ofScore * attention.query[row * width + i].f;
      }
    }
  }
  call.results.append({queries, keys, values});
  return success();
}

Tensor rotaryEmbedding(graph::RotaryEmbeddingOp op, llvm::ArrayRef<Tensor> in) {
  const Tensor &input = in[0], &cosine = in[1], &sine = in[2];
  Tensor result = zerosOf(op.getResult().getType());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  int64_t heads = input.getDim(1), positions = input.getDim(2), half = input.getDim(3) / 2;
  bool isShared = cosine.getRank() == 2;
  for (int64_t row = 0; row < input.size() / (2 * half); ++row) {
    int64_t sample = isShared ? 0 : row / (heads * positions);
    int64_t angles = (sample * positions + row % positions) * half;
    for (int64_t i = 0; i < half; ++i) {
      int64_t first = row * 2 * half + (op.getInterleaved() ? 2 * i : i);
      int64_t second = first + (op.getInterleaved() ? 1 : half);
      double u = input[first].f, v = input[second].f;
      double c = cosine[angles + i].f, s = sine[angles + i].f;
      out[first].f = u * c - v * s;
      out[second].f = u * s + v * c;
    }
  }
  return result;
}

} // namespace

void registerAttention(Registry &registry) {
  registry.add<graph::AttentionOp>(attention);
  registry.add<graph::AttentionGradientOp>(attentionGradient);
  registry.add<graph::RotaryEmbeddingOp>(rotaryEmbedding);
}

} // namespace pcc::interpret
