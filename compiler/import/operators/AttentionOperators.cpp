// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and rotary embedding. Tensors of three dimensions, [batch, positions, heads · width],
// are converted to [batch, heads, positions, width] and back.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

/// Converts [batch, positions, heads · width] to [batch, heads, positions, width].
Tensor separateHeads(Node &node, const Tensor &x, llvm::StringRef attribute) {
  Emitter &emit = node.emit;
  int64_t heads = node.integer(attribute, 0);
  if (x.rank() == 4)
    return x;
  if (x.rank() != 3 || heads < 1 || x.shape()[2] % heads) {
    emit.error() << "expected a tensor of rank 4, or of rank 3 whose last size attribute '"
                 << attribute << "' divides, got " << x.type << " and " << heads;
    return {};
  }
  Tensor split = emit.reshape(x, {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads});
  return split ? emit.transpose(split, {0, 2, 1, 3}) : Tensor();
}

/// Converts heads back to three dimensions, if `like` has three dimensions.
Tensor joinHeads(Emitter &emit, const Tensor &x, const Tensor &like) {
  if (!x || like.rank() == 4)
    return x;
  Tensor swapped = emit.transpose(x, {0, 2, 1, 3});
  if (!swapped)
    return {};
  llvm::ArrayRef<int64_t> shape = swapped.shape();
  return emit.reshape(swapped, {shape[0], shape[1], shape[2] * shape[3]});
}

/// Converts the mask to numbers of `element` to add, with rank 4.
Tensor importMask(Emitter &emit, Tensor mask, Type element) {
  if (mask.elementType().isInteger(1)) {
    Tensor seen = emit.scalar(element, 0.0);
    Tensor hidden = emit.scalar(element, -std::numeric_limits<double>::infinity());
    mask = emit.select(mask, seen, hidden);
  }
  if (!mask || mask.rank() > 4) {
    if (mask)
      emit.error() << "expected a mask of at most 4 dimensions, got " << mask.type;
    return {};
  }
  Shape shape(4 - mask.rank(), 1);
  llvm::append_range(shape, mask.shape());
  return emit.reshape(mask, shape);
}

/// Rejects inputs, outputs and attributes that graph.attention does not support.
LogicalResult refuseAttention(Node &node) {
  Emitter &emit = node.emit;
  for (auto [position, name] :
       {std::pair(4, "past_key"), {5, "past_value"}, {6, "nonpad_kv_seqlen"}})
    if (node.input(position))
      return emit.error() << "input '" << name << "' is not supported";
  if (node.outputCount() > 3 && !node.outputName(3).empty())
    return emit.error() << "output 'qk_matmul_output' is not supported";
  node.integer("qk_matmul_output_mode", 0);
  node.integer("softmax_precision", 1); // computed in f32 or wider in any case
  for (llvm::StringRef name : {"left_window_size", "right_window_size"})
    if (int64_t size = node.integer(name, -1); size != -1)
      return emit.error() << "expected attribute '" << name << "' to be -1, got " << size;
  if (double softcap = node.number("softcap", 0.0); softcap != 0.0)
    return emit.error() << "expected attribute 'softcap' to be 0, got " << softcap;
  return success();
}

/// Imports Attention with the inputs query, key, value and an optional mask. Causal attention
/// aligns first positions: if query and key differ in length, the op gets an offset of 0.
LogicalResult importAttention(Node &node) {
  Emitter &emit = node.emit;
  if (failed(refuseAttention(node)))
    return failure();
  Tensor query = separateHeads(node, node.input(0), "q_num_heads");
  Tensor key = separateHeads(node, node.input(1), "kv_num_heads");
  Tensor value = separateHeads(node, node.input(2), "kv_num_heads");
  if (!query || !key || !value)
    return failure();
  llvm::ArrayRef<int64_t> shape = query.shape();
  double scale = node.number("scale", 1.0 / std::sqrt(double(shape[3])));
  bool isCausal = node.integer("is_causal", 0) != 0;
  llvm::SmallVector<Tensor> operands = {query, key, value};
  Tensor mask = node.input(3);
  if (mask && !(mask = importMask(emit, mask, query.elementType())))
    return failure();
  if (mask)
    operands.push_back(mask);
  bool hasOffset = isCausal && shape[2] != key.shape()[2];
  Builder &b = emit.attributes();
  if (hasOffset)
    operands.push_back(emit.scalar(b.getI64Type(), 0.0));
  llvm::SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("scale", b.getF64FloatAttr(scale)),
      b.getNamedAttr("operandSegmentSizes",
                     b.getDenseI32ArrayAttr({1, 1, 1, bool(mask), hasOffset}))};
  if (isCausal)
    attributes.push_back(b.getNamedAttr("causal", b.getUnitAttr()));
  int64_t result[] = {shape[0], shape[1], shape[2], value.shape()[3]};
  Type types[] = {query.type.clone(result),
                  RankedTensorType::get(ArrayRef(result).drop_back(), b.getF32Type())};
  Tensor attended = emit.apply<graph::AttentionOp>(types, operands, attributes).front();
  llvm::SmallVector<Tensor> results = {joinHeads(emit, attended, node.input(0)), key, value};
  return node.setResults(
      ArrayRef(results).take_front(std::min<size_t>(node.outputCount(), results.size())));
}

/// Returns cosines or sines of the positions in `ids`; without `ids`, the table has one row set per
/// sample.
Tensor importAngles(Node &node, const Tensor &table, const Tensor &ids) {
  return ids ? node.emit.gather(table, ids, 0) : table;
}

/// Imports RotaryEmbedding with the inputs x, cosines, sines and optional position numbers. If only
/// the first elements of a head are rotated, the other elements bypass the op.
LogicalResult importRotaryEmbedding(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = separateHeads(node, node.input(0), "num_heads");
  Tensor cosine = importAngles(node, node.input(1), node.input(3));
  Tensor sine = importAngles(node, node.input(2), node.input(3));
  int64_t rotated = node.integer("rotary_embedding_dim", 0);
  bool isInterleaved = node.integer("interleaved", 0) != 0;
  if (!x || !cosine || !sine)
    return failure();
  int64_t width = x.shape()[3];
  if (rotated < 0 || rotated > width)
    return emit.error() << "expected attribute 'rotary_embedding_dim' in [0, " << width << "], got "
                        << rotated;
  bool isPart = rotated != 0 && rotated != width;
  Tensor first = isPart ? emit.slice(x, 3, 0, 1, rotated) : x;
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes;
  if (isInterleaved)
    attributes.push_back(b.getNamedAttr("interleaved", b.getUnitAttr()));
  if (!first)
    return failure();
  Tensor result =
      emit.apply<graph::RotaryEmbeddingOp>(first.type, {first, cosine, sine}, attributes).front();
  if (isPart && result)
    result = emit.concat({result, emit.slice(x, 3, rotated, 1, width - rotated)}, 3);
  return node.setResult(joinHeads(emit, result, node.input(0)));
}

} // namespace

llvm::ArrayRef<Operator> attentionOperators() {
  static const Operator rows[] = {
      {"Attention", 23, 3, 6, AllInputs, importAttention},
      {"Attention", 24, 3, 7, AllInputs, importAttention},
      {"RotaryEmbedding", 23, 3, 4, FirstInput, importRotaryEmbedding},
  };
  return rows;
}

} // namespace pcc::import
