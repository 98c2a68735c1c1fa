// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary position embeddings.

#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/attention/Heads.h"

using namespace mlir;

namespace pcc::import {
namespace {

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

llvm::ArrayRef<Operator> rotaryOperators() {
  static const Operator rows[] = {
      {"RotaryEmbedding", 23, 3, 4, FirstInput, importRotaryEmbedding},
  };
  return rows;
}

} // namespace pcc::import
