// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ChunkMatmuls: cuts matmuls whose results are summed over ranks into chunks of rows. While one
// chunk is summed, the next is computed. Source: Wang et al., "Overlap communication with dependent
// computation via decomposition in large deep learning models", ASPLOS 2023.
//
//   y = all_reduce (matmul x, w)          computes      [  x w  ]
//                                         communicates           [   y   ]
//
//   in two chunks                         computes      [x0 w][x1 w]
//                                         communicates        [ y0 ][ y1 ]
//
// With C and K seconds for all of it, c chunks take C/c + (c - 1)/c max(C, K) + K/c, plus the cost
// of cutting and joining. That cost includes slices of x, lower rates of smaller matmuls, and
// latencies. This formula is evaluated for every count that divides the rows. The fastest count is
// taken; ties go to the smaller one.
//
//   %0 = matmul %x, %w         %x0 = slice %x      %0 = matmul %x0, %w    %2 = all_reduce %0
//   %1 = all_reduce %0         %x1 = slice %x      %1 = matmul %x1, %w    %3 = all_reduce %1
//                              %4 = concat %2, %3
//
// Assumes local types. Leaves a matmul whole if one chunk is best, or if it has other readers.
#include "passes/fusion/Passes.h"

#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "passes/analysis/names/OpNames.h"
#include "runtime/machine/Roofline.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {
#define GEN_PASS_DEF_CHUNKMATMULS
#include "passes/fusion/Passes.h.inc"

namespace {
/// A matmul and its sum over ranks, between which only shapes change.
struct SummedMatmul {
  MatmulOp matmul;
  dist::AllReduceOp sum;
};

struct ChunkChoice {
  int64_t count = 1;
  double wholeSeconds = 0; ///< of the matmul and its sum, one after the other
  double seconds = 0;      ///< in `count` chunks
};
} // namespace

/// Returns the matmul that `sum` sums. Returns nothing if the matmul has other readers, or if its
/// rows are those of several matmuls.
static std::optional<SummedMatmul> findSummedMatmul(dist::AllReduceOp sum) {
  Value value = sum.getInput();
  while (value.hasOneUse()) {
    if (auto reshape = value.getDefiningOp<ReshapeOp>()) {
      value = reshape.getInput();
      continue;
    }
    auto matmul = value.getDefiningOp<MatmulOp>();
    if (matmul && matmul.getType().getRank() == 2 && !matmul.getTransposeLhs())
      return SummedMatmul{matmul, sum};
    break;
  }
  return std::nullopt;
}

/// Returns the seconds of a matmul and its sum in `count` chunks. The first chunk's computation and
/// the last chunk's sum overlap with nothing.
static double secondsInChunks(const SummedMatmul &summed, int64_t count,
                              const abi::Cluster &cluster) {
  auto [matmul, sum] = summed;
  analysis::OpShapes shapes = analysis::OpShapes::of(matmul);
  shapes.operands[0][0] /= count;
  shapes.results[0][0] /= count;
  double lhsBytes = double(analysis::getNumBytes(matmul.getLhs().getType()));
  double resultBytes = double(analysis::getNumBytes(matmul.getType()));
  double slicing = machine::moveSeconds(cluster.device(), lhsBytes + lhsBytes / double(count));
  double joining = machine::moveSeconds(cluster.device(), 2 * resultBytes);
  double computing = slicing + analysis::secondsOf(matmul, shapes, cluster);
  double summing = analysis::secondsOfCollective(
      sum, analysis::trafficOf(sum).bytes / double(count), dist::getMesh(sum), cluster);
  return computing + double(count - 1) * std::max(computing, summing) + summing + joining;
}

/// Returns the number of chunks that finishes first, at most `maxCount`. Types are local, and
/// `cluster` is complete.
static ChunkChoice chooseChunks(const SummedMatmul &summed, int64_t maxCount,
                                const abi::Cluster &cluster) {
  auto [matmul, sum] = summed;
  ChunkChoice choice;
  choice.wholeSeconds = analysis::secondsOf(matmul, analysis::OpShapes::of(matmul), cluster) +
                        analysis::secondsOfCollective({sum}, dist::getMesh(sum), cluster);
  choice.seconds = choice.wholeSeconds;
  for (int64_t count = 2; count <= maxCount; ++count) {
    if (matmul.getType().getShape()[0] % count != 0)
      continue;
    if (double seconds = secondsInChunks(summed, count, cluster); seconds < choice.seconds) {
      choice.seconds = seconds;
      choice.count = count;
    }
  }
  return choice;
}

/// Builds the matmul and its sum in `count` chunks. Returns the joined sums in the sum's type.
static Value buildChunks(const SummedMatmul &summed, int64_t count) {
  auto [matmul, sum] = summed;
  OpBuilder b(sum);
  auto rowsOf = [&](RankedTensorType type) {
    return RankedTensorType::get({type.getShape()[0] / count, type.getShape()[1]},
                                 type.getElementType());
  };
  RankedTensorType lhs = rowsOf(matmul.getLhs().getType()), type = rowsOf(matmul.getType());
  SmallVector<Value> sums;
  for (int64_t chunk = 0; chunk < count; ++chunk) {
    auto rows =
        SliceOp::create(b, matmul.getLoc(), lhs, matmul.getLhs(), 0, chunk * lhs.getShape()[0]);
    auto part = cast<MatmulOp>(b.clone(*matmul));
    part.getLhsMutable().assign(rows);
    part.getResult().setType(type);
    sums.push_back(dist::AllReduceOp::create(b, sum.getLoc(), type, sum.getKindAttr(),
                                             part.getResult(), sum.getGroupAttr()));
  }
  Value joined = ConcatOp::create(b, sum.getLoc(), sums, 0);
  if (joined.getType() == sum.getType())
    return joined;
  return ReshapeOp::create(b, sum.getLoc(), sum.getType(), joined);
}

/// Replaces the whole by the chunks. Also erases the ops between matmul and sum.
static void replace(SummedMatmul summed, Value chunks) {
  Value value = summed.sum.getInput();
  summed.sum.replaceAllUsesWith(chunks);
  summed.sum.erase();
  while (value.use_empty()) {
    Operation *op = value.getDefiningOp();
    bool isMatmul = op == summed.matmul;
    value = op->getOperand(0);
    op->erase();
    if (isMatmul)
      break;
  }
}

namespace {
struct ChunkMatmuls : impl::ChunkMatmulsBase<ChunkMatmuls> {
  using ChunkMatmulsBase::ChunkMatmulsBase;

  void runOnOperation() override {
    if (chunks < 1) {
      getOperation().emitError() << "expected one chunk of a matmul or more, got "
                                 << chunks.getValue();
      return signalPassFailure();
    }
    SmallVector<SummedMatmul> found;
    getOperation().walk([&](dist::AllReduceOp sum) {
      if (std::optional<SummedMatmul> summed = findSummedMatmul(sum))
        found.push_back(*summed);
    });
    if (found.empty())
      return;
    int64_t ranks = dist::getMesh(found.front().sum).getNumRanks();
    FailureOr<abi::Cluster> machine = getAnalysis<analysis::ClusterAnalysis>().get(ranks);
    if (failed(machine))
      return signalPassFailure();
    for (SummedMatmul summed : found)
      chunk(summed, chooseChunks(summed, chunks, *machine));
  }

  static void chunk(SummedMatmul summed, const ChunkChoice &choice) {
    remark::passed(summed.matmul.getLoc(),
                   remark::RemarkOpts::name("chunk-matmuls").category("fusion"))
        << remark::metric("op", analysis::getName(summed.matmul))
        << remark::metric("chunks", choice.count)
        << remark::metric("whole_us", choice.wholeSeconds * 1e6)
        << remark::metric("chunked_us", choice.seconds * 1e6);
    if (choice.count > 1)
      replace(summed, buildChunks(summed, choice.count));
  }
};
} // namespace
} // namespace pcc::fusion
