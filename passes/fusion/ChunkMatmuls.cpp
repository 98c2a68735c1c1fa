// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ChunkMatmuls: cuts matmuls whose results are summed over ranks into chunks of rows. While one
// chunk is summed, the next is computed. passes/analysis/cost/MatmulChunks.h chooses the number of
// chunks; this pass obeys.
//
//   %0 = matmul %x, %w         %x0 = slice %x      %0 = matmul %x0, %w    %2 = all_reduce %0
//   %1 = all_reduce %0         %x1 = slice %x      %1 = matmul %x1, %w    %3 = all_reduce %1
//                              %4 = concat %2, %3
//
// Assumes local types. Leaves a matmul whole if one chunk is best, or if it has other readers.
#include "passes/fusion/Passes.h"

#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/OpNames.h"
#include "passes/analysis/cost/MatmulChunks.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::analysis::SummedMatmul;

namespace pcc::fusion {
#define GEN_PASS_DEF_CHUNKMATMULS
#include "passes/fusion/Passes.h.inc"

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
      if (std::optional<SummedMatmul> summed = analysis::findSummedMatmul(sum))
        found.push_back(*summed);
    });
    if (found.empty())
      return;
    int64_t ranks = dist::getMesh(found.front().sum).getNumRanks();
    FailureOr<abi::Cluster> machine = getAnalysis<analysis::ClusterAnalysis>().get(ranks);
    if (failed(machine))
      return signalPassFailure();
    for (SummedMatmul summed : found)
      chunk(summed, analysis::chooseChunks(summed, chunks, *machine));
  }

  static void chunk(SummedMatmul summed, const analysis::ChunkChoice &choice) {
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
