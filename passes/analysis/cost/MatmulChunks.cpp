// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the pattern and evaluates the formula of the header for every count that divides the
// rows. Takes the fastest; ties go to the smaller count.
#include "passes/analysis/cost/MatmulChunks.h"

#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "runtime/machine/Roofline.h"

using namespace mlir;

namespace pcc::analysis {

std::optional<SummedMatmul> findSummedMatmul(dist::AllReduceOp sum) {
  Value value = sum.getInput();
  while (value.hasOneUse()) {
    if (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {
      value = reshape.getInput();
      continue;
    }
    auto matmul = value.getDefiningOp<graph::MatmulOp>();
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
  OpShapes shapes = OpShapes::of(matmul);
  shapes.operands[0][0] /= count;
  shapes.results[0][0] /= count;
  double lhsBytes = double(getNumBytes(matmul.getLhs().getType()));
  double resultBytes = double(getNumBytes(matmul.getType()));
  double slicing = machine::moveSeconds(cluster.device(), lhsBytes + lhsBytes / double(count));
  double joining = machine::moveSeconds(cluster.device(), 2 * resultBytes);
  double computing = slicing + secondsOf(matmul, shapes, cluster);
  double summing =
      secondsOfCollective(sum, trafficOf(sum).bytes / double(count), dist::getMesh(sum), cluster);
  return computing + double(count - 1) * std::max(computing, summing) + summing + joining;
}

ChunkChoice chooseChunks(const SummedMatmul &summed, int64_t maxCount,
                         const abi::Cluster &cluster) {
  auto [matmul, sum] = summed;
  ChunkChoice choice;
  choice.wholeSeconds = secondsOf(matmul, OpShapes::of(matmul), cluster) +
                        secondsOfCollective({sum}, dist::getMesh(sum), cluster);
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

} // namespace pcc::analysis
