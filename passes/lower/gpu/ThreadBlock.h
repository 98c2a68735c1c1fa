// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block of a GPU, seen from the code that each of them runs: who it is, and how a
// block combines what its threads have found.
//
//   warp    lanes 0 … 31: five exchanges, each with the lane whose number differs in one bit
//   block   each warp's result goes to shared memory; behind a barrier all threads combine them
//
// All threads end with the same bits, whatever the order in which warps run.
#pragma once

#include "passes/lower/Elements.h"

namespace pcc::lower {

inline constexpr int64_t lanesPerWarp = 32;
/// Of a block, on every GPU that there is code for.
inline constexpr int64_t mostThreads = 1024;
/// Bytes that a kernel may ask for in its text.
inline constexpr int64_t mostSharedBytes = 48 << 10;

class ThreadBlock {
public:
  /// Emits into the function that the builder of `elements` stands in. `threads`: of the block, at
  /// most `mostThreads`; `blocks`: of the grid.
  ThreadBlock(Elements &elements, int64_t threads, int64_t blocks);

  // Numbers as i64.
  mlir::Value thread() const { return threadNumber; } ///< in the block
  mlir::Value block() const { return blockNumber; }
  mlir::Value lane() const { return laneNumber; }
  mlir::Value warp() const { return warpNumber; } ///< in the block
  int64_t threads() const { return numThreads; }
  int64_t warps() const { return numThreads / lanesPerWarp; }

  /// Combines what the lanes of each warp have.
  mlir::Value combineInWarp(mlir::Operation *reduction, mlir::Value value);
  /// Combines what the threads of the block have, one value for each reduction.
  llvm::SmallVector<mlir::Value> combineInBlock(llvm::ArrayRef<mlir::Operation *> reductions,
                                                mlir::ValueRange values);
  /// Combines what the threads in the same lane of all warps have; only the first warp gets the
  /// results.
  llvm::SmallVector<mlir::Value> combineLanes(llvm::ArrayRef<mlir::Operation *> reductions,
                                              mlir::ValueRange values);

  /// What the lane of number `from` (i64) has.
  mlir::Value takeFromLane(mlir::Value value, mlir::Value from);
  /// Whether the condition holds in some lane of the warp.
  mlir::Value holdsInSomeLane(mlir::Value condition);
  void barrier();
  /// Memory of the block for so many elements of a compute type.
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
