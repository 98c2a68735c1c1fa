// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention on the host, without all scores in memory (Dao et al.: FlashAttention, NeurIPS 2022).
//
// A tile of scores is a block of the query's positions by a block of the key's; tiles that a causal
// attention does not see are not computed. Products of tiles are oneDNN's sgemm on one thread.
//
// * Forward: each block of the query's positions goes through the key's from the first to the last,
//   and keeps a running maximum and sum of each row.
// * Gradient: each group of heads of each sample remakes its tiles from `log_sum`, the key's
//   positions as rows, and adds what they give to the gradients of query, key and value.
//
// Half types are widened to f32 for a record's time.
//
// The cut into tiles depends on sizes alone, and one thread does all that adds to one number, so
// the bits do not depend on the number of threads.

#ifndef PCC_RUNTIME_DEVICE_HOST_ATTENTION_H
#define PCC_RUNTIME_DEVICE_HOST_ATTENTION_H

#include "runtime/device/host/OneDnn.h"
#include "runtime/device/host/Records.h"

#include <array>

namespace pcc::runtime::host {

/// Extents of a tile: what fits a core's cache beside the rows that it is made of.
inline constexpr int64_t queryTile = 64, keyTile = 256;

/// Tensors of an attention; those that a record has not are null.
struct AttentionTensors {
  const float *query, *key, *value, *mask;
  const int64_t *offset;
  float *result, *logSum;
};

/// Gradients: that of the result is read, the others are written.
struct AttentionGradients {
  const float *result;
  float *query, *key, *value;
};

/// An attention with its addresses.
struct AttentionCall {
  explicit AttentionCall(const abi::Attention &shape, const AttentionTensors &tensors);

  const int64_t batch, heads, groups, positions, keyPositions, width, depth;
  const float scale;
  const bool causal;
  /// From one position to the next of the same head or group, in rows of width or depth elements.
  const int64_t queryStep, keyStep;
  const AttentionTensors tensors;
  /// Distance of the mask's elements along each of its dimensions; 0 where it is repeated.
  std::array<int64_t, 4> maskStrides = {};

  /// The row of a position, in query, result and their gradients; heads are numbered over all
  /// samples.
  int64_t queryRow(int64_t head, int64_t position) const {
    return queryStep == 1 ? head * positions + position
                          : (head / heads * positions + position) * heads + head % heads;
  }
  /// The same in key, value and their gradients; groups are numbered over all samples.
  int64_t keyRow(int64_t group, int64_t position) const {
    return keyStep == 1 ? group * keyPositions + position
                        : (group / groups * keyPositions + position) * groups + group % groups;
  }
  /// The last position of the key that the query's first one sees, as of now.
  int64_t offset() const { return tensors.offset ? *tensors.offset : keyPositions - positions; }
  /// Number of the key's positions that the query's before `end` see.
  int64_t seenBefore(int64_t end, int64_t offset) const;
  /// The first position of the query that sees the key's position `to`.
  int64_t firstThatSees(int64_t to, int64_t offset) const;
  /// The mask of a sample's head from a position of the query and one of the key on.
  const float *maskAt(int64_t sample, int64_t head, int64_t from, int64_t to) const;
};

/// A matrix in memory: its first element, and how far its rows lie apart.
struct Rows {
  const float *first;
  int64_t step;
};

/// C = alpha · op(A) · op(B) + beta · C, row-major, rows of C `cStep` elements apart. Errors are
/// kept in `failed`.
struct TileProduct {
  const OneDnn &dnn;
  bool failed = false;

  void operator()(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k, float alpha,
                  Rows a, Rows b, float beta, float *c, int64_t cStep);
};

/// Makes rows of a tensor zero.
void clearRows(float *first, int64_t step, int64_t count, int64_t length);

PreparedPointer prepareAttentionForward(const AttentionCall &call, const OneDnn &dnn,
                                        const Team &team);
PreparedPointer prepareAttentionGradient(const AttentionCall &call,
                                         const AttentionGradients &gradients, const OneDnn &dnn,
                                         const Team &team);

/// An attention in f16 or bf16: that of f32 on copies in `scratch`, rounded once when it is stored.
/// Error: no memory.
Expected<PreparedPointer> prepareHalfAttention(const abi::Attention &attention,
                                               const PrepareContext &context, const OneDnn &dnn,
                                               const Team &team, std::shared_ptr<Scratch> scratch);

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_ATTENTION_H
