// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that are written as decompositions.
#include "test/conformance/strategies/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace pcc::conformance {
namespace {

/// Ops of one node, called NAME_PIECE; the last one has the node's name.
class Pieces {
public:
  explicit Pieces(Operation &operation) : o(operation) {}

  std::string name(const std::string &piece) const {
    return piece.empty() ? o.node.name : o.node.name + "_" + piece;
  }

  /// Writes an op of one operand, with the strategy `tuple` if there is one.
  Value unary(const std::string &piece, const std::string &op, const Value &x,
              const std::optional<Shape> &tuple = {}, const std::string &rest = "") {
    return o.writer.write(name(piece), op, x.name + rest + mark({tuple}), x.type(), x.shape,
                          x.element);
  }

  Value binary(const std::string &piece, const std::string &op, const Value &x, const Value &y,
               const std::optional<Shape> &tuple = {}, const std::optional<Shape> &second = {}) {
    return o.writer.write(name(piece), op, x.name + ", " + y.name + mark({tuple, second}), x.type(),
                          x.shape, x.element);
  }

  Value reduce(const std::string &piece, const std::string &kind, const Value &x, const Shape &dims,
               const std::optional<Shape> &tuple = {}) {
    Shape shape;
    for (auto [dim, size] : llvm::enumerate(x.shape))
      if (!llvm::is_contained(dims, int64_t(dim)))
        shape.push_back(size);
    return o.writer.write(name(piece), "reduce",
                          kind + " " + x.name + ", " + toText(dims) + mark({tuple}), x.type(),
                          shape, x.element);
  }

  /// Repeats `x` to the shape of `like`; the dimensions of `x` are the first ones of `like`.
  Value broadcast(const std::string &piece, const Value &x, const Value &like) {
    Shape dims(x.shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    Value result{"", like.shape, x.element};
    return o.writer.write(name(piece), "broadcast", x.name + ", " + toText(dims),
                          x.type() + " to " + result.type(), like.shape, x.element);
  }

  /// Returns the strategy of operand `index`, if the node has one.
  std::optional<Shape> tuple(unsigned index) const {
    if (!o.strategy || index >= o.strategy->size())
      return std::nullopt;
    return (*o.strategy)[index];
  }

private:
  std::string mark(llvm::ArrayRef<std::optional<Shape>> tuples) const {
    Tuples given;
    for (const std::optional<Shape> &tuple : tuples)
      if (tuple)
        given.push_back(*tuple);
    return given.empty() ? "" : markText(given);
  }

  Operation &o;
};

} // namespace

/// Writes gamma * (x - mean) / sqrt(variance + epsilon) + beta.
std::vector<Value> writeLayerNorm(Operation &o) {
  Pieces pieces(o);
  const Value &x = o.operands[0];
  int64_t rank = x.shape.size();
  auto begin = o.node.attributes ? o.node.attributes->getInteger("begin_norm_axis") : std::nullopt;
  int64_t first = begin.value_or(-1);
  Shape dims(rank - (first < 0 ? first + rank : first));
  std::iota(dims.begin(), dims.end(), rank - dims.size());
  std::optional<Shape> tuple = pieces.tuple(0);
  Value mean = pieces.reduce("mean", "mean", x, dims, tuple);
  Value centred = pieces.binary("centred", "sub", x, pieces.broadcast("means", mean, x));
  Value square = pieces.unary("square", "square", centred);
  Value variance = pieces.reduce("variance", "mean", square, dims);
  Value epsilon = o.writer.write(pieces.name("epsilon"), "constant", "dense<1.0e-5>",
                                 variance.type(), variance.shape, x.element);
  Value scale = pieces.unary("scale", "rsqrt", pieces.binary("sum", "add", variance, epsilon));
  Value normal = pieces.binary("normal", "mul", centred, pieces.broadcast("scales", scale, x));
  Shape last(o.operands[1].shape.size());
  std::iota(last.begin(), last.end(), rank - last.size());
  Value gamma = o.writer.repeat(o.node, 1, o.operands[1], x.shape, last);
  Value beta = o.writer.repeat(o.node, 2, o.operands[2], x.shape, last);
  Value scaled = pieces.binary("scaled", "mul", normal, gamma, tuple, tuple);
  o.readBy(0, pieces.name("mean"), 0);
  o.readBy(1, gamma.name.substr(1), 0);
  o.readBy(2, beta.name.substr(1), 0);
  return {pieces.binary("", "add", scaled, beta, tuple, tuple)};
}

/// Writes one loss for each row: -sum(labels * log(softmax(logits))).
std::vector<Value> writeCrossEntropy(Operation &o) {
  Pieces pieces(o);
  const Value &logits = o.operands[0], &labels = o.operands[1];
  int64_t last = logits.shape.size() - 1;
  std::string axis = " axis = " + std::to_string(last);
  Value softmax = pieces.unary("softmax", "softmax", logits, pieces.tuple(0), axis);
  Value logarithm = pieces.unary("log", "log", softmax);
  Value product =
      pieces.binary("product", "mul", logarithm, labels, pieces.tuple(0), pieces.tuple(1));
  Value sum = pieces.reduce("sum", "sum", product, {last}, pieces.tuple(0));
  o.readBy(0, pieces.name("softmax"), 0);
  o.readBy(1, pieces.name("product"), 1);
  return {pieces.unary("", "neg", sum)};
}

/// Writes a slice along each axis that is not taken whole; one trivial slice if there is none.
std::vector<Value> writeStridedSlice(Operation &o) {
  Value value = o.operands[0];
  Shape begin = *o.node.list("begin"), end = *o.node.list("end");
  Shape strides = o.node.list("strides").value_or(Shape(begin.size(), 1));
  Shape axes;
  for (auto [axis, size] : llvm::enumerate(value.shape))
    if (axis < begin.size() && (begin[axis] || end[axis] < size || strides[axis] != 1))
      axes.push_back(axis);
  if (axes.empty())
    axes.push_back(0);
  for (auto [number, axis] : llvm::enumerate(axes)) {
    Value result{"", value.shape, value.element};
    int64_t stop = std::min(end[axis], value.shape[axis]);
    result.shape[axis] = (stop - begin[axis] + strides[axis] - 1) / strides[axis];
    bool isLast = number + 1 == axes.size();
    std::string name = isLast ? o.node.name : o.node.name + "_" + std::to_string(number);
    if (number == 0)
      o.readBy(0, name, 0);
    std::string stride = strides[axis] == 1 ? "" : "stride = " + std::to_string(strides[axis]);
    value = o.writer.write(name, o.op,
                           value.name + " axis = " + std::to_string(axis) +
                               " start = " + std::to_string(begin[axis]) +
                               markText(o.strategy, isLast ? o.outStrategy : std::nullopt, stride),
                           value.type() + " to " + result.type(), result.shape, value.element);
  }
  return {value};
}

} // namespace pcc::conformance
