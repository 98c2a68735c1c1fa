// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The online softmax of FlashAttention. A tile's scores become exponentials relative to the row's
// maximum so far. If the maximum grows, the row's earlier sum and results are scaled down. The
// division by the sum comes last. Threads share the blocks of query positions.

#include "runtime/device/host/attention/Attention.h"
#include "runtime/device/host/attention/ScoreRows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace pcc::runtime::host {
namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

class ForwardInstruction final : public PreparedInstruction {
public:
  ForwardInstruction(const AttentionCall &call, const OneDnn &dnn, const Team &team)
      : call(call), dnn(dnn), team(team), blocks((call.positions + queryTile - 1) / queryTile) {}

  Status run(const ActionValues &) override {
    std::atomic<bool> failed = false;
    int64_t offset = call.offset();
    team.withOneThread([&] {
      team.parallel(call.batch * call.heads * blocks, [&](int64_t begin, int64_t end) {
        AlignedBytes tile = allocateAligned(queryTile * keyTile * sizeof(float));
        if (!tile) {
          failed = true;
          return;
        }
        TileMatmul multiply{dnn};
        for (int64_t i = begin; i < end; ++i)
          runBlock(i / blocks, i % blocks * queryTile, offset,
                   reinterpret_cast<float *>(tile.get()), multiply);
        if (multiply.failed)
          failed = true;
      });
    });
    return failed ? Status::failed("an attention failed: no memory, or oneDNN's sgemm") : Status();
  }

private:
  /// The running state of a tile of rows: for each row its greatest score, and the sum of
  /// exponentials relative to that score.
  struct RowState {
    float greatest[queryTile], sum[queryTile];
  };

  /// Computes one block of a head's query positions. Heads are numbered over all samples.
  void runBlock(int64_t head, int64_t first, int64_t offset, float *tile,
                TileMatmul &multiply) const {
    int64_t rows = std::min(queryTile, call.positions - first);
    int64_t seen = call.keysAttendedBefore(first + rows, offset);
    RowState state;
    std::fill_n(state.greatest, rows, hidden);
    std::fill_n(state.sum, rows, 0.0f);
    float *out = call.tensors.result + call.queryRow(head, first) * call.depth;
    int64_t step = call.queryStep * call.depth;
    if (!seen)
      clearRows(out, step, rows, call.depth);
    for (int64_t to = 0; to < seen; to += keyTile)
      addTile(head, first, rows, to, std::min(keyTile, seen - to), offset, tile, state, multiply);
    float *logSum = call.tensors.logSum + head * call.positions + first;
    for (int64_t r = 0; r < rows; ++r) {
      bool attendsToNothing = state.sum[r] == 0.0f;
      if (!attendsToNothing)
        multiplyRow(out + r * step, call.depth, 1.0f / state.sum[r]);
      logSum[r] = attendsToNothing ? hidden : state.greatest[r] + std::log(state.sum[r]);
    }
  }

  /// Adds the key positions `to` … `to + columns` to the rows.
  void addTile(int64_t head, int64_t first, int64_t rows, int64_t to, int64_t columns,
               int64_t offset, float *tile, RowState &state, TileMatmul &multiply) const {
    int64_t sample = head / call.heads;
    int64_t row = call.queryRow(head, first);
    int64_t from = call.keyRow(head / (call.heads / call.groups), to);
    Rows query{call.tensors.query + row * call.width, call.queryStep * call.width};
    Rows key{call.tensors.key + from * call.width, call.keyStep * call.width};
    Rows value{call.tensors.value + from * call.depth, call.keyStep * call.depth};
    float *out = call.tensors.result + row * call.depth;
    int64_t step = call.queryStep * call.depth;
    multiply(false, true, rows, columns, call.width, call.scale, query, key, 0.0f, tile, columns);
    for (int64_t r = 0; r < rows; ++r) {
      float *row = tile + r * columns;
      int64_t seen =
          std::clamp(call.keysAttendedBefore(first + r + 1, offset) - to, int64_t(0), columns);
      if (call.tensors.mask)
        addMask(row, call.maskAt(sample, head % call.heads, first + r, to), call.maskStrides[3],
                seen);
      float rescale = absorb(row, seen, state.greatest[r], state.sum[r]);
      std::fill(row + seen, row + columns, 0.0f);
      if (to > 0 && rescale != 1.0f)
        multiplyRow(out + r * step, call.depth, rescale);
    }
    multiply(false, false, rows, call.depth, columns, 1.0f, {tile, columns}, value,
             to > 0 ? 1.0f : 0.0f, out, step);
  }

  /// Turns a row's scores into exponentials. Returns the factor by which the results of earlier
  /// tiles shrink.
  static float absorb(float *row, int64_t count, float &greatest, float &sum) {
    float before = greatest;
    greatest = maximumOf(row, count, greatest);
    float shift = greatest == hidden ? 0.0f : greatest;
    float shrink = before == hidden ? 0.0f : std::exp(before - shift);
    exponentiate(row, count, shift);
    sum = sum * shrink + sumOf(row, count);
    return shrink;
  }

  const AttentionCall call;
  const OneDnn &dnn;
  const Team &team;
  const int64_t blocks;
};

} // namespace

PreparedPointer prepareAttentionForward(const AttentionCall &call, const OneDnn &dnn,
                                        const Team &team) {
  return std::make_unique<ForwardInstruction>(call, dnn, team);
}

} // namespace pcc::runtime::host
