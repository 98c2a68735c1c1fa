// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two matmuls per tile compute the transposed scores and the gradients of the weights. Row by row
// they become weights, exp(score - log_sum), and gradients of scores. Three matmuls then add to the
// gradients of value, key and query. Threads share the groups.

#include "runtime/device/host/attention/Attention.h"
#include "runtime/device/host/attention/ScoreRows.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace pcc::runtime::host {
namespace {

/// Consecutive query positions of one head.
struct QueryBlock {
  int64_t head, first, rows; ///< the head is numbered over all samples
};

/// Two tiles, and the values subtracted from them for each position of the query.
struct Tiles {
  explicit Tiles(AlignedBytes memory)
      : memory(std::move(memory)), weights(reinterpret_cast<float *>(this->memory.get())),
        scores(weights + keyTile * queryTile) {}

  AlignedBytes memory;
  float *weights, *scores;
  float shifts[queryTile], means[queryTile];
};

class GradientInstruction final : public PreparedInstruction {
public:
  GradientInstruction(const AttentionCall &call, const AttentionGradients &gradients,
                      const OneDnn &dnn, const Team &team)
      : call(call), gradients(gradients), dnn(dnn), team(team) {}

  Status run(const ActionValues &) override {
    std::atomic<bool> failed = false;
    int64_t offset = call.offset();
    team.withOneThread([&] {
      team.parallel(call.batch * call.groups, [&](int64_t begin, int64_t end) {
        Tiles tiles(allocateAligned(2 * keyTile * queryTile * sizeof(float)));
        TileMatmul multiply{dnn};
        for (int64_t group = begin; tiles.memory && group < end; ++group)
          runGroup(group, offset, tiles, multiply);
        if (multiply.failed || !tiles.memory)
          failed = true;
      });
    });
    return failed ? Status::failed("an attention's gradient failed: no memory, or oneDNN's sgemm")
                  : Status();
  }

private:
  /// Computes all heads of one group. Groups are numbered over all samples.
  void runGroup(int64_t group, int64_t offset, Tiles &tiles, TileMatmul &multiply) const {
    int64_t perGroup = call.heads / call.groups;
    int64_t from = call.keyRow(group, 0);
    clearRows(gradients.key + from * call.width, call.keyStep * call.width, call.keyPositions,
              call.width);
    clearRows(gradients.value + from * call.depth, call.keyStep * call.depth, call.keyPositions,
              call.depth);
    for (int64_t head = group * perGroup; head < (group + 1) * perGroup; ++head)
      for (int64_t first = 0; first < call.positions; first += queryTile)
        runBlock({head, first, std::min(queryTile, call.positions - first)}, offset, tiles,
                 multiply);
  }

  void runBlock(const QueryBlock &block, int64_t offset, Tiles &tiles, TileMatmul &multiply) const {
    int64_t row = call.queryRow(block.head, block.first);
    const float *logSums = call.tensors.logSum + block.head * call.positions + block.first;
    for (int64_t r = 0; r < block.rows; ++r) {
      tiles.shifts[r] = std::isinf(logSums[r]) ? 0.0f : logSums[r]; // attends to no key
      int64_t place = (row + r * call.queryStep) * call.depth;
      tiles.means[r] =
          dotProduct(gradients.result + place, call.tensors.result + place, call.depth);
    }
    clearRows(gradients.query + row * call.width, call.queryStep * call.width, block.rows,
              call.width);
    int64_t seen = call.keysAttendedBefore(block.first + block.rows, offset);
    for (int64_t to = 0; to < seen; to += keyTile)
      addTile(block, to, std::min(keyTile, seen - to), offset, tiles, multiply);
  }

  /// Adds a tile. Its rows are the key positions `to` … `to + count`, its columns the query
  /// positions of `block`.
  void addTile(const QueryBlock &block, int64_t to, int64_t count, int64_t offset, Tiles &tiles,
               TileMatmul &multiply) const {
    int64_t row = call.queryRow(block.head, block.first), rows = block.rows;
    int64_t from = call.keyRow(block.head / (call.heads / call.groups), to);
    int64_t queryStep = call.queryStep * call.width, keyStep = call.keyStep * call.width;
    int64_t valueStep = call.keyStep * call.depth;
    Rows query{call.tensors.query + row * call.width, queryStep};
    Rows key{call.tensors.key + from * call.width, keyStep};
    Rows value{call.tensors.value + from * call.depth, valueStep};
    Rows given{gradients.result + row * call.depth, call.queryStep * call.depth};
    Rows weights{tiles.weights, rows}, scores{tiles.scores, rows};
    multiply(false, true, count, rows, call.width, call.scale, key, query, 0.0f, tiles.weights,
             rows);
    multiply(false, true, count, rows, call.depth, 1.0f, value, given, 0.0f, tiles.scores, rows);
    for (int64_t c = 0; c < count; ++c)
      finishRow(block, to + c, offset, tiles.weights + c * rows, tiles.scores + c * rows, tiles);
    multiply(false, false, count, call.depth, rows, 1.0f, weights, given, 1.0f,
             gradients.value + from * call.depth, valueStep);
    multiply(false, false, count, call.width, rows, 1.0f, scores, query, 1.0f,
             gradients.key + from * call.width, keyStep);
    multiply(true, false, rows, call.width, count, 1.0f, scores, key, 1.0f,
             gradients.query + row * call.width, queryStep);
  }

  /// Turns the scores of a key position into weights, and the gradients of the weights into the
  /// gradients of the scores times the scale.
  void finishRow(const QueryBlock &block, int64_t to, int64_t offset, float *weights, float *scores,
                 const Tiles &tiles) const {
    // The first `hiddenQueries` query positions do not attend to this key position.
    int64_t rows = block.rows;
    int64_t hiddenQueries =
        std::clamp(call.firstQueryAttendingTo(to, offset) - block.first, int64_t(0), rows);
    if (call.tensors.mask)
      addMask(weights,
              call.maskAt(block.head / call.heads, block.head % call.heads, block.first, to),
              call.maskStrides[2], rows);
    exponentiate(weights + hiddenQueries, tiles.shifts + hiddenQueries, rows - hiddenQueries);
    scaleDifferences(scores + hiddenQueries, weights + hiddenQueries, tiles.means + hiddenQueries,
                     rows - hiddenQueries, call.scale);
    std::fill_n(weights, hiddenQueries, 0.0f);
    std::fill_n(scores, hiddenQueries, 0.0f);
  }

  const AttentionCall call;
  const AttentionGradients gradients;
  const OneDnn &dnn;
  const Team &team;
};

} // namespace

PreparedPointer prepareAttentionGradient(const AttentionCall &call,
                                         const AttentionGradients &gradients, const OneDnn &dnn,
                                         const Team &team) {
  return std::make_unique<GradientInstruction>(call, gradients, dnn, team);
}

} // namespace pcc::runtime::host
