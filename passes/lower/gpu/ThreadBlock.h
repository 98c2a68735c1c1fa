// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a GPU block, as the code of one thread sees them: its numbers, and ways to combine
// the values of the block's threads.
//
//   warp    lanes 0 … 31: five exchanges, each with the lane whose number differs in one bit
//   block   each warp's result goes to shared memory; after a barrier all threads combine them
//
// All threads end with the same bits, whatever the order in which warps run.
#pragma once

#include "passes/lower/elements/Elements.h"

namespace pcc::lower {

inline constexpr int64_t lanesPerWarp = 32;
/// Maximum threads per block on every supported GPU.
inline constexpr int64_t maxThreads = 1024;
/// Maximum bytes of static shared memory of a kernel.
inline constexpr int64_t maxSharedBytes = 48 << 10;

class ThreadBlock {
public:
  /// Emits into the function at the insertion point of the builder of `elements`. `threads`: per
  /// block, at most `maxThreads`; `blocks`: of the grid.
  ThreadBlock(Elements &elements, int64_t threads, int64_t blocks);

  // Numbers as i64.
  mlir::Value thread() const { return threadNumber; } ///< in the block
  mlir::Value block() const { return blockNumber; }
  mlir::Value lane() const { return laneNumber; }
  mlir::Value warp() const { return warpNumber; } ///< in the block
  int64_t threads() const { return numThreads; }
  int64_t warps() const { return numThreads / lanesPerWarp; }

  /// Combines the values of the lanes of each warp.
  mlir::Value combineInWarp(mlir::Operation *reduction, mlir::Value value);
  /// Combines the values of the threads of the block, one value for each reduction.
  llvm::SmallVector<mlir::Value> combineInBlock(llvm::ArrayRef<mlir::Operation *> reductions,
                                                mlir::ValueRange values);
  /// Combines the values of the threads in the same lane of all warps; only the first warp gets the
  /// results.
  llvm::SmallVector<mlir::Value> combineLanes(llvm::ArrayRef<mlir::Operation *> reductions,
                                              mlir::ValueRange values);

  /// Returns the value of the lane of number `from` (i64).
  mlir::Value takeFromLane(mlir::Value value, mlir::Value from);
  /// Returns whether the condition holds in some lane of the warp.
  mlir::Value holdsInSomeLane(mlir::Value condition);
  void barrier();
  /// Allocates memory of the block for `count` elements of a compute type.
  mlir::Value allocateShared(mlir::Type type, int64_t count);

private:
  mlir::Value exchange(mlir::Value value, mlir::Value other, bool isXor);

  Elements &elements;
  mlir::ImplicitLocOpBuilder &b;
  IndexMath &math;
  int64_t numThreads;
  int64_t numShared = 0;
  mlir::Value threadNumber, blockNumber, laneNumber, warpNumber;
};

} // namespace pcc::lower
