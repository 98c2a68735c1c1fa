// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses into how many chunks of rows a matmul is cut whose result is summed over ranks. While one
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
// latencies.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::analysis {

/// A matmul and its sum over ranks, between which only shapes change.
struct SummedMatmul {
  graph::MatmulOp matmul;
  dist::AllReduceOp sum;
};

/// Returns the matmul that `sum` sums. Returns nothing if the matmul has other readers, or if its
/// rows are those of several matmuls.
std::optional<SummedMatmul> findSummedMatmul(dist::AllReduceOp sum);

struct ChunkChoice {
  int64_t count = 1;
  double wholeSeconds = 0; ///< of the matmul and its sum, one after the other
  double seconds = 0;      ///< in `count` chunks
};

/// Returns the number of chunks that finishes first, at most `maxCount`. Types are local, and
/// `cluster` is complete.
ChunkChoice chooseChunks(const SummedMatmul &summed, int64_t maxCount, const abi::Cluster &cluster);

} // namespace pcc::analysis
