// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention. What hides keys (masks, the cache's length, windows) becomes numbers that are added to
// the scores of one attention op. A node whose scores are capped or read becomes two matmuls and a
// softmax.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/attention/Heads.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

constexpr double negativeInfinity = -std::numeric_limits<double>::infinity();

class AttentionImporter {
public:
  explicit AttentionImporter(Node &node) : node(node), emit(node.emit) {}

  LogicalResult run();

private:
  bool readInputs();
  bool readMask();
  void readPositions();
  void addMask(const Tensor &numbers);
  void hideUnless(const Tensor &isVisible);
  void hideByWindows();
  bool needsScores();
  Tensor emitAttention();
  Tensor emitScores(Tensor &scores);
  Tensor emitWeights(const Tensor &scores);
  Tensor repeatHeads(const Tensor &x);

  int64_t queries() const { return query.shape()[2]; }
  int64_t keys() const { return key.shape()[2]; }

  Node &node;
  Emitter &emit;
  Tensor query, key, value; ///< of rank 4; key and value begin with those of the cache
  Tensor mask;              ///< numbers to add to the scores, of rank 4; null: none
  double scale = 1.0, softcap = 0.0;
  bool isCausal = false;
  int64_t offset = 0;                  ///< number of keys before the first query
  Tensor used;                         ///< keys of each sample that are used; null: all
  Tensor queryPositions, keyPositions; ///< numbers of the keys that they stand for, of rank 4
};

/// Reads query, key and value, and appends the latter to those of the cache.
bool AttentionImporter::readInputs() {
  query = separateHeads(node, node.input(0), "q_num_heads");
  key = separateHeads(node, node.input(1), "kv_num_heads");
  value = separateHeads(node, node.input(2), "kv_num_heads");
  if (!query || !key || !value)
    return false;
  Tensor pastKey = node.input(4), pastValue = node.input(5);
  used = node.input(6);
  if (bool(pastKey) != bool(pastValue) || (pastKey && used)) {
    emit.error() << "expected both inputs 'past_key' and 'past_value', or 'nonpad_kv_seqlen'";
    return false;
  }
  if (pastKey) {
    offset = pastKey.rank() == 4 ? pastKey.shape()[2] : 0;
    key = emit.concat({pastKey, key}, 2);
    value = emit.concat({pastValue, value}, 2);
  }
  if (used && used.shape() != query.shape().take_front(1)) {
    emit.error() << "expected a length for each sample, got " << used.type;
    return false;
  }
  scale = node.number("scale", 1.0 / std::sqrt(double(query.shape()[3])));
  softcap = node.number("softcap", 0.0);
  isCausal = node.integer("is_causal", 0) != 0;
  node.integer("softmax_precision", 1); // computed in f32 or wider in any case
  return key && value;
}

/// Converts the mask to numbers with rank 4. Keys behind the end of a short mask are hidden.
bool AttentionImporter::readMask() {
  Tensor given = node.input(3);
  if (!given)
    return true;
  Type element = query.elementType();
  if (given.elementType().isInteger(1))
    given = emit.select(given, emit.scalar(element, 0.0), emit.scalar(element, negativeInfinity));
  if (!given)
    return false;
  if (given.rank() < 1 || given.rank() > 4) {
    emit.error() << "expected a mask of 1 to 4 dimensions, got " << given.type;
    return false;
  }
  int64_t missing = keys() - given.shape().back();
  if (missing > 0 && given.shape().back() > 1)
    given = emit.pad(given, given.rank() - 1, 0, missing, negativeInfinity);
  if (!given)
    return false;
  Shape shape(4 - given.rank(), 1);
  llvm::append_range(shape, given.shape());
  mask = emit.reshape(given, shape);
  return bool(mask);
}

/// Numbers the keys, and the queries by the key at their position. Without a cache, queries start
/// with the first key. If samples use only their first keys, their queries are the last of these.
void AttentionImporter::readPositions() {
  Type i64 = emit.attributes().getI64Type();
  keyPositions = emit.reshape(emit.iota(i64, keys()), {1, 1, 1, keys()});
  Tensor first = emit.scalar(i64, static_cast<double>(offset));
  if (used) {
    used = emit.reshape(emit.cast(used, i64), {used.shape()[0], 1, 1, 1});
    first = emit.binary<graph::SubOp>(used, emit.scalar(i64, static_cast<double>(queries())));
  }
  queryPositions = emit.binary<graph::AddOp>(
      emit.reshape(emit.iota(i64, queries()), {1, 1, queries(), 1}), first);
}

void AttentionImporter::addMask(const Tensor &numbers) {
  mask = mask ? emit.binary<graph::AddOp>(mask, numbers) : numbers;
}

void AttentionImporter::hideUnless(const Tensor &isVisible) {
  Type element = query.elementType();
  addMask(
      emit.select(isVisible, emit.scalar(element, 0.0), emit.scalar(element, negativeInfinity)));
}

/// Hides keys that are too far before or behind a query.
void AttentionImporter::hideByWindows() {
  int64_t left = node.integer("left_window_size", -1);
  int64_t right = node.integer("right_window_size", -1);
  Type i64 = emit.attributes().getI64Type();
  auto shifted = [&](int64_t by) {
    return emit.binary<graph::AddOp>(queryPositions, emit.scalar(i64, static_cast<double>(by)));
  };
  if (left >= 0)
    hideUnless(emit.compare(graph::Direction::GE, keyPositions, shifted(-left)));
  if (right >= 0)
    hideUnless(emit.compare(graph::Direction::LE, keyPositions, shifted(right)));
}

/// Returns whether the scores are computed by ops of their own, since they are capped or read.
bool AttentionImporter::needsScores() {
  return softcap != 0.0 || (node.outputCount() > 3 && !node.outputName(3).empty());
}

/// Emits the attention op. A causal op aligns last positions; without a cache, the node aligns
/// first positions and the op gets an offset.
Tensor AttentionImporter::emitAttention() {
  llvm::SmallVector<Tensor> operands = {query, key, value};
  if (mask)
    operands.push_back(mask);
  bool hasOffset = isCausal && queries() + offset != keys();
  Builder &b = emit.attributes();
  if (hasOffset)
    operands.push_back(emit.scalar(b.getI64Type(), static_cast<double>(offset)));
  llvm::SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("scale", b.getF64FloatAttr(scale)),
      b.getNamedAttr("operandSegmentSizes",
                     b.getDenseI32ArrayAttr({1, 1, 1, bool(mask), hasOffset}))};
  if (isCausal)
    attributes.push_back(b.getNamedAttr("causal", b.getUnitAttr()));
  int64_t result[] = {query.shape()[0], query.shape()[1], queries(), value.shape()[3]};
  Type types[] = {query.type.clone(result),
                  RankedTensorType::get(ArrayRef(result).drop_back(),
                                        graph::accumulatorOf(query.elementType()))};
  return emit.apply<graph::AttentionOp>(types, operands, attributes).front();
}

/// Repeats the heads of key or value for the heads of the query that share them.
Tensor AttentionImporter::repeatHeads(const Tensor &x) {
  llvm::ArrayRef<int64_t> shape = x.shape();
  int64_t times = query.shape()[1] / shape[1];
  if (times * shape[1] != query.shape()[1]) {
    emit.error() << "expected heads of the query that are a multiple of those of the key, got "
                 << query.shape()[1] << " and " << shape[1];
    return {};
  }
  if (times == 1)
    return x;
  Tensor apart = emit.reshape(x, {shape[0], shape[1], 1, shape[2], shape[3]});
  Tensor all = emit.broadcast(apart, {shape[0], shape[1], times, shape[2], shape[3]});
  return all ? emit.reshape(all, {shape[0], query.shape()[1], shape[2], shape[3]}) : Tensor();
}

/// Emits the softmax of masked scores. Rows of which every key is hidden are 0.
Tensor AttentionImporter::emitWeights(const Tensor &scores) {
  if (!mask)
    return emit.softmax(scores, 3);
  Tensor greatest = emit.reduce(graph::ReduceOpKind::Max, mask, {3});
  if (!greatest)
    return {};
  Shape shape(mask.shape());
  shape.back() = 1;
  Tensor isHidden = emit.compare(graph::Direction::EQ, emit.reshape(greatest, shape),
                                 emit.scalarLike(mask, negativeInfinity));
  auto hidden = isHidden && isHidden.known ? isHidden.known->asIntegers() : std::nullopt;
  if (hidden && !llvm::is_contained(*hidden, 1))
    return emit.softmax(scores, 3);
  Tensor zero = emit.scalarLike(scores, 0.0);
  return emit.select(isHidden, zero, emit.softmax(emit.select(isHidden, zero, scores), 3));
}

/// Emits the attention by its matmuls. `scores` become what output 'qk_matmul_output' asks for:
/// 0 the scores, 1 capped, 2 masked, 3 the weights.
Tensor AttentionImporter::emitScores(Tensor &scores) {
  int64_t mode = node.integer("qk_matmul_output_mode", 0);
  Tensor allKeys = repeatHeads(key), allValues = repeatHeads(value);
  if (!allKeys || !allValues)
    return {};
  Tensor product = emit.matmul(query, allKeys, /*transposeX=*/false, /*transposeY=*/true);
  Tensor stages[4];
  stages[0] = emit.binary<graph::MulOp>(product, emit.scalarLike(query, scale));
  stages[1] = stages[0];
  if (softcap != 0.0) {
    Tensor cap = emit.scalarLike(query, softcap);
    Tensor share = emit.unary<graph::TanhOp>(emit.binary<graph::DivOp>(stages[0], cap));
    stages[1] = emit.binary<graph::MulOp>(share, cap);
  }
  stages[2] = mask ? emit.binary<graph::AddOp>(stages[1], mask) : stages[1];
  stages[3] = emitWeights(stages[2]);
  if (mode < 0 || mode > 3) {
    emit.error() << "expected attribute 'qk_matmul_output_mode' from 0 to 3, got " << mode;
    return {};
  }
  scores = stages[mode];
  return emit.matmul(stages[3], allValues);
}

LogicalResult AttentionImporter::run() {
  if (!readInputs() || !readMask())
    return failure();
  readPositions();
  hideByWindows();
  if (used)
    hideUnless(emit.compare(graph::Direction::LT, keyPositions, used));
  bool hasScores = needsScores();
  if (isCausal && (used || hasScores)) { // the op's flag has one offset for all samples
    hideUnless(emit.compare(graph::Direction::LE, keyPositions, queryPositions));
    isCausal = false;
  }
  node.integer("qk_matmul_output_mode", 0);
  Tensor scores;
  Tensor attended = hasScores ? emitScores(scores) : emitAttention();
  if (!attended)
    return failure();
  llvm::SmallVector<Tensor> results = {joinHeads(emit, attended, node.input(0)), key, value,
                                       scores};
  return node.setResults(
      ArrayRef(results).take_front(std::min<size_t>(node.outputCount(), hasScores ? 4 : 3)));
}

LogicalResult importAttention(Node &node) { return AttentionImporter(node).run(); }

} // namespace

llvm::ArrayRef<Operator> attentionOperators() {
  static const Operator rows[] = {
      {"Attention", 23, 3, 6, AllInputs, importAttention},
      {"Attention", 24, 3, 7, AllInputs, importAttention},
  };
  return rows;
}

} // namespace pcc::import
