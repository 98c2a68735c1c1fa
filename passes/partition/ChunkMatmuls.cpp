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
// latencies. Assumes local types. Leaves a matmul whole if the cost model says that chunks do not
// pay, or if it has other readers.
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "passes/partition/Passes.h"
#include "runtime/machine/Cluster.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::partition {

#define GEN_PASS_DEF_CHUNKMATMULS
#include "passes/partition/Passes.h.inc"

namespace {

/// A matmul and its sum over ranks, between which only shapes change.
struct SummedMatmul {
  MatmulOp matmul;
  dist::AllReduceOp sum;
};

/// A matmul and its sum in chunks.
struct Chunks {
  SmallVector<Operation *> ops; ///< in order
  double first = 0, last = 0;   ///< seconds of one chunk's computation and communication
  double joining = 0;
  Value result;

  double seconds(int64_t count) const {
    return first + double(count - 1) * std::max(first, last) + last + joining;
  }
};

} // namespace

/// Returns nothing if the matmul has other readers, or if its rows are those of several matmuls.
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

static Chunks build(const SummedMatmul &summed, int64_t count, const abi::Cluster &cluster) {
  auto [matmul, sum] = summed;
  OpBuilder b(sum);
  Chunks chunks;
  auto add = [&](Operation *op) { chunks.ops.push_back(op); };
  auto opSeconds = [&](Operation *op) {
    return analysis::secondsOf(op, analysis::OpShapes::of(op), cluster);
  };
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
    auto reduced = dist::AllReduceOp::create(b, sum.getLoc(), type, sum.getKindAttr(),
                                             part.getResult(), sum.getGroupAttr());
    sums.push_back(reduced);
    add(rows), add(part), add(reduced);
    chunks.first = opSeconds(rows) + opSeconds(part);
    chunks.last = analysis::secondsOfCollective({reduced}, dist::getMesh(sum), cluster);
  }
  auto joined = ConcatOp::create(b, sum.getLoc(), sums, 0);
  chunks.joining = opSeconds(joined);
  add(joined);
  chunks.result = joined;
  if (joined.getType() != sum.getType()) {
    auto shaped = ReshapeOp::create(b, sum.getLoc(), sum.getType(), joined);
    add(shaped);
    chunks.result = shaped;
  }
  return chunks;
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
    // Every pipeline stage has the same mesh.
    int64_t ranks = dist::getMesh(found.front().sum).getNumRanks();
    abi::Expected<abi::Cluster> machine = machine::parseCluster(cluster, ranks);
    if (!machine) {
      getOperation().emitError() << machine.status().message();
      return signalPassFailure();
    }
    for (SummedMatmul summed : found)
      chunk(summed, *machine);
  }

  /// Chooses the number of chunks that finishes first.
  void chunk(SummedMatmul summed, const abi::Cluster &machine) {
    MatmulOp matmul = summed.matmul;
    double whole = analysis::secondsOf(matmul, analysis::OpShapes::of(matmul), machine) +
                   analysis::secondsOfCollective({summed.sum}, dist::getMesh(matmul), machine);
    double best = whole;
    int64_t count = 1;
    for (int64_t tried = 2; tried <= chunks; ++tried) {
      if (matmul.getType().getShape()[0] % tried != 0)
        continue;
      Chunks built = build(summed, tried, machine);
      if (double seconds = built.seconds(tried); seconds < best) {
        best = seconds;
        count = tried;
      }
      for (Operation *op : llvm::reverse(built.ops))
        op->erase();
    }
    remark::passed(matmul.getLoc(), remark::RemarkOpts::name("chunk-matmuls").category("partition"))
        << remark::metric("chunks", count) << remark::metric("whole_us", whole * 1e6)
        << remark::metric("chunked_us", best * 1e6);
    if (count > 1)
      replace(summed, build(summed, count, machine).result);
  }
};
} // namespace
} // namespace pcc::partition
