// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts c into blocks of 128 rows, or of 128 columns if m is at most 128 and less than n. A block is
// one sgemm over all of k, so no sum depends on the threads. Bias and ReLU are applied to each
// finished block.

#include "runtime/device/host/matmul/Matmul.h"

#include <algorithm>
#include <atomic>

namespace pcc::runtime::host {
namespace {

/// Extent of a block along the dimension that is cut.
constexpr int64_t blockExtent = 128;

class BlockedMatmulInstruction final : public PreparedInstruction {
public:
  BlockedMatmulInstruction(const MatmulCall &matmulCall, const OneDnn &dnn, const Team &team)
      : dnn(dnn), team(team), m(matmulCall.shape.m()), n(matmulCall.shape.n()),
        k(matmulCall.shape.k()), batch(matmulCall.shape.batch()),
        transposeA(matmulCall.shape.transpose_a()), transposeB(matmulCall.shape.transpose_b()),
        sharedB(matmulCall.shape.shared_b()), relu(matmulCall.shape.activation() == abi::RELU),
        accumulation(matmulCall.shape.accumulation()), a(reinterpret_cast<float *>(matmulCall.a)),
        b(reinterpret_cast<float *>(matmulCall.b)), c(reinterpret_cast<float *>(matmulCall.c)),
        bias(reinterpret_cast<float *>(matmulCall.bias)), cutsRows(m > blockExtent || m >= n),
        blocks(((cutsRows ? m : n) + blockExtent - 1) / blockExtent) {}

  Status run(const ActionValues &action) override {
    bool add = adds(accumulation, action);
    std::atomic<bool> failed = false;
    team.withOneThread([&] {
      team.parallel(batch * blocks, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          if (!runBlock(i / blocks, i % blocks, add))
            failed = true;
      });
    });
    return failed ? Status::failed("oneDNN's sgemm failed") : Status();
  }

private:
  bool runBlock(int64_t entry, int64_t block, bool add) {
    int64_t row = cutsRows ? block * blockExtent : 0, column = cutsRows ? 0 : block * blockExtent;
    int64_t rows = std::min(m - row, cutsRows ? blockExtent : m);
    int64_t columns = std::min(n - column, cutsRows ? n : blockExtent);
    const float *left = a + entry * m * k + (transposeA ? row : row * k);
    const float *right = b + (sharedB ? 0 : entry * n * k) + (transposeB ? column * k : column);
    float *out = c + entry * m * n + row * n + column;
    dnnl_status_t status =
        dnn.sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', rows, columns, k, 1.0f, left,
                  transposeA ? m : k, right, transposeB ? k : n, add ? 1.0f : 0.0f, out, n);
    if (bias || relu)
      finish(out, bias ? bias + column : nullptr, rows, columns);
    return status == dnnl_success;
  }

  void finish(float *out, const float *addend, int64_t rows, int64_t columns) const {
    for (int64_t r = 0; r < rows; ++r, out += n) {
      for (int64_t i = 0; addend && i < columns; ++i)
        out[i] += addend[i];
      for (int64_t i = 0; relu && i < columns; ++i)
        out[i] = out[i] < 0 ? 0 : out[i]; // keeps NaN
    }
  }

  const OneDnn &dnn;
  const Team &team;
  const int64_t m, n, k, batch;
  const bool transposeA, transposeB, sharedB, relu;
  const abi::Accumulation accumulation;
  const float *const a, *const b;
  float *const c;
  const float *const bias;
  /// Whether blocks are rows of c, which are contiguous; used if there are enough rows, else blocks
  /// are columns.
  const bool cutsRows;
  const int64_t blocks;
};

} // namespace

PreparedPointer prepareBlockedMatmul(const MatmulCall &matmulCall, const OneDnn &dnn,
                                     const Team &team) {
  return std::make_unique<BlockedMatmulInstruction>(matmulCall, dnn, team);
}

} // namespace pcc::runtime::host
