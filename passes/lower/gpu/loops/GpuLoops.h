// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loops of a kernel on a GPU, by form, and assigns work to threads.
//
//   form      work of a thread
//   map       a piece of up to 8 adjacent elements, then the piece one grid further;
//             in a map that transposes: elements of a tile, which the block takes through shared
//             memory
//   rows      pieces of a row; a short row belongs to a warp, a long row to a block
//   columns   a column or a few adjacent ones, of every row that its warp has
//   scatter   a warp has some rows of the result, and adds the updates that go there in order;
//             of a max_pool's gradient: elements of a tile, whose windows the block computes first
//
// Grids depend on sizes alone, and threads combine in a fixed order: the bits are the same on every
// GPU.
#pragma once

#include "dialects/graph/Graph.h"
#include "passes/lower/elements/Elements.h"
#include "passes/lower/host/loops/KernelLoops.h"

namespace pcc::lower {

// The threads of a GPU block: the numbers of the thread that runs the code, and ways to combine the
// values of all threads.
//
//   warp    lanes 0 … 31: five exchanges, each with the lane whose number differs in one bit
//   block   each warp's result goes to shared memory; after a barrier all threads combine them
//
// All threads end with the same bits, whatever the order in which warps run.

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

/// Number of threads that run a kernel.
struct GridShape {
  int64_t blocks = 1;
  int64_t threads = lanesPerWarp; ///< per block
};

/// Threads per block, if a form leaves the choice.
inline constexpr int64_t defaultBlockThreads = 256;
/// Number of blocks that keeps a GPU busy. With more pieces than threads in these blocks, each
/// thread has several pieces.
inline constexpr int64_t usualBlocks = 1024;
/// Maximum number of elements that a thread keeps in registers.
inline constexpr int64_t maxRegisterElements = 32;

/// Returns the greatest number of adjacent elements that a thread may access at once. They take up
/// to 16 bytes of the narrowest operand or result, and are at most 8. Their number divides `inner`.
/// LLVM merges their loads and stores.
int64_t elementsPerAccess(mlir::func::FuncOp kernel, int64_t inner);

/// A kernel under construction on a GPU.
struct GpuKernel {
  KernelBody &body;
  GridShape shape;

  mlir::ImplicitLocOpBuilder &builder() const { return body.builder(); }
  IndexMath &math() const { return body.math(); }
};

/// Emits `body` under a condition; null: unconditionally.
void emitIf(mlir::ImplicitLocOpBuilder &builder, mlir::Value condition,
            llvm::function_ref<void()> body);

/// Tiles of a map kernel that transposes: 32 rows and columns of the result each.
struct TransposeTiles {
  llvm::SmallVector<graph::TransposeOp> transposes; ///< all of one shape
  llvm::ArrayRef<int64_t> shape;                    ///< shape of the results; columns come last
  unsigned rowDim = 0;                              ///< dimension of adjacent operand elements

  int64_t rows() const { return shape[rowDim]; }
  int64_t columns() const { return shape.back(); }
  int64_t blocks() const;
};
/// Returns nothing if the kernel transposes nothing, or too little.
std::optional<TransposeTiles> findTransposeTiles(mlir::func::FuncOp kernel, task::FormAttr form);

GridShape gridOfMap(mlir::func::FuncOp kernel, task::FormAttr form);
GridShape gridOfRows(mlir::func::FuncOp kernel, task::FormAttr form);
GridShape gridOfColumns(mlir::func::FuncOp kernel, const ColumnLoops &loops);
GridShape gridOfScatter(mlir::func::FuncOp kernel);
GridShape gridOfPoolGradient(mlir::func::FuncOp kernel);
/// Returns the grid of the kernel's form.
GridShape gridOf(mlir::func::FuncOp kernel, task::FormAttr form);

void emitGpuMap(GpuKernel &kernel);
void emitGpuTranspose(GpuKernel &kernel, const TransposeTiles &tiles);
void emitGpuRows(GpuKernel &kernel);
void emitGpuColumns(GpuKernel &kernel, const ColumnLoops &loops);
void emitGpuScatter(GpuKernel &kernel);
void emitGpuPoolGradient(GpuKernel &kernel);
/// Emits the loops of the kernel's form.
void emitGpuLoops(GpuKernel &kernel);

} // namespace pcc::lower
