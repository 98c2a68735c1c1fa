// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes attention on the host without storing all scores in memory (Dao et al.: FlashAttention,
// NeurIPS 2022). A tile of scores is a block of the query's positions by a block of the key's. A
// group is a head of key and value, shared by heads / groups heads of the query. Tiles that causal
// attention hides completely are not computed. Matmuls of tiles use oneDNN's sgemm on one thread.
// * Forward: each block of the query's positions goes through the key's positions from first to
//   last, and keeps a running maximum and sum of each row.
// * Gradient: each group of heads of each sample recomputes its tiles from `log_sum`, with the
//   key's positions as rows. Then it adds their contributions to the gradients of query, key and
//   value.
//
// Half types are widened to f32 while an instruction runs.
//
// The tiling depends only on sizes, and one thread does all additions to a number. So the bits do
// not depend on the number of threads.

#pragma once

#include "runtime/device/host/Instructions.h"
#include "runtime/device/host/OneDnn.h"

#include <array>

namespace pcc::runtime::host {

/// Extents of a tile, which fits a core's cache together with its rows of query, key and value.
inline constexpr int64_t queryTile = 64, keyTile = 256;

/// The tensors of an attention; null for missing ones.
struct AttentionTensors {
  const float *query, *key, *value, *mask;
  const int64_t *offset;
  float *result, *logSum;
};

/// Gradients: the result's is read, the others are written.
struct AttentionGradients {
  const float *result;
  float *query, *key, *value;
};

/// An attention with its addresses.
struct AttentionCall {
  explicit AttentionCall(const abi::Attention &shape, const AttentionTensors &tensors);

  /// `width`: elements of a row of query or key. `depth`: of a row of value or result.
  const int64_t batch, heads, groups, positions, keyPositions, width, depth;
  const float scale;
  const bool causal;
  /// Distance between consecutive positions of the same head or group, in rows of width or depth
  /// elements.
  const int64_t queryStep, keyStep;
  const AttentionTensors tensors;
  /// Strides of the mask in elements along each dimension; 0 where it is broadcast.
  std::array<int64_t, 4> maskStrides = {};

  /// Returns the row of a position in query, result and their gradients. Heads are numbered over
  /// all samples.
  int64_t queryRow(int64_t head, int64_t position) const {
    return queryStep == 1 ? head * positions + position
                          : (head / heads * positions + position) * heads + head % heads;
  }
  /// Returns the row of a position in key, value and their gradients. Groups are numbered over all
  /// samples.
  int64_t keyRow(int64_t group, int64_t position) const {
    return keyStep == 1 ? group * keyPositions + position
                        : (group / groups * keyPositions + position) * groups + group % groups;
  }
  /// Returns the current value of the offset: the last key position that the first query position
  /// attends to, with a causal mask.
  int64_t offset() const { return tensors.offset ? *tensors.offset : keyPositions - positions; }
  /// Returns the number of key positions that some query position before `end` attends to.
  int64_t keysAttendedBefore(int64_t end, int64_t offset) const;
  /// Returns the first query position that attends to key position `to`.
  int64_t firstQueryAttendingTo(int64_t to, int64_t offset) const;
  /// Returns the mask of a sample's head, starting at query position `from` and key position `to`.
  const float *maskAt(int64_t sample, int64_t head, int64_t from, int64_t to) const;
};

/// A matrix in memory: its first element, and the distance between rows.
struct Rows {
  const float *first;
  int64_t step;
};

/// Computes C = alpha · op(A) · op(B) + beta · C, row-major, with rows of C `cStep` elements apart.
/// Errors set `failed`.
struct TileMatmul {
  const OneDnn &dnn;
  bool failed = false;

  void operator()(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k, float alpha,
                  Rows a, Rows b, float beta, float *c, int64_t cStep);
};

/// Fills rows of a tensor with zeros.
void clearRows(float *first, int64_t step, int64_t count, int64_t length);

PreparedPointer prepareAttentionForward(const AttentionCall &call, const OneDnn &dnn,
                                        const Team &team);
PreparedPointer prepareAttentionGradient(const AttentionCall &call,
                                         const AttentionGradients &gradients, const OneDnn &dnn,
                                         const Team &team);

/// Prepares an attention in f16 or bf16: runs the f32 attention on copies in `scratch` and rounds
/// once when storing. Error: no memory.
Expected<PreparedPointer> prepareHalfAttention(const abi::Attention &attention,
                                               const PrepareContext &context, const OneDnn &dnn,
                                               const Team &team, std::shared_ptr<Scratch> scratch);

} // namespace pcc::runtime::host
