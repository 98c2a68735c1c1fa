// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a kernel on a GPU, by form: which thread works on what.
//
//   form      a thread has
//   map       a piece of neighbouring elements that fill 16 bytes, then the piece one grid further;
//             of one that transposes elements of a tile, which the block takes through shared
//             memory
//   rows      pieces of a row, which a warp has if it is short, a block if it is long
//   columns   a column or a few neighbouring ones, of every row that its warp has
//   scatter   a warp has some rows of the result, and adds the updates that go there in their order
//
// Grids follow from sizes alone, and threads combine in a fixed order: the bits are the same on
// every GPU.
#pragma once

#include "dialects/graph/Graph.h"
#include "passes/lower/KernelLoops.h"
#include "passes/lower/gpu/ThreadBlock.h"

namespace pcc::lower {

/// How many threads run a kernel.
struct GridShape {
  int64_t blocks = 1;
  int64_t threads = lanesPerWarp; ///< of a block
};

/// Threads of a block, where a form leaves the choice.
inline constexpr int64_t usualThreads = 256;
/// Blocks that keep a GPU busy; with more pieces than these have threads, each thread has several.
inline constexpr int64_t usualBlocks = 1024;
/// Elements that a thread keeps in registers.
inline constexpr int64_t mostKept = 32;

/// The greatest number of neighbouring elements that a thread may take at once: they fill 16 bytes
/// of the narrowest operand or result, and divide `inner`.
int64_t pieceOf(mlir::func::FuncOp kernel, int64_t inner);

/// A kernel under construction on a GPU.
struct GpuKernel {
  KernelBody &body;
  GridShape shape;

  mlir::ImplicitLocOpBuilder &builder() const { return body.builder(); }
  IndexMath &math() const { return body.math(); }
};

/// What happens only under a condition; null: always.
void emitIf(mlir::ImplicitLocOpBuilder &builder, mlir::Value condition,
            llvm::function_ref<void()> body);

/// How a map kernel that transposes is cut: tiles of 32 rows and columns of the result.
struct TransposeTiles {
  llvm::SmallVector<graph::TransposeOp> transposes; ///< all of one shape
  llvm::ArrayRef<int64_t> shape;                    ///< of their results; columns come last
  unsigned rowDim = 0;                              ///< along which neighbours of the operands lie

  int64_t rows() const { return shape[rowDim]; }
  int64_t columns() const { return shape.back(); }
  int64_t blocks() const;
};
/// Nothing where the kernel transposes nothing, or too little.
std::optional<TransposeTiles> findTransposeTiles(mlir::func::FuncOp kernel, task::FormAttr form);

GridShape gridOfMap(mlir::func::FuncOp kernel, task::FormAttr form);
GridShape gridOfRows(mlir::func::FuncOp kernel, task::FormAttr form);
GridShape gridOfColumns(mlir::func::FuncOp kernel, const ColumnLoops &loops);
GridShape gridOfScatter(mlir::func::FuncOp kernel);
GridShape gridOfPoolGradient(task::FormAttr form);
/// That of the kernel's form.
GridShape gridOf(mlir::func::FuncOp kernel, task::FormAttr form);

void emitGpuMap(GpuKernel &kernel);
void emitGpuTranspose(GpuKernel &kernel, const TransposeTiles &tiles);
void emitGpuRows(GpuKernel &kernel);
void emitGpuColumns(GpuKernel &kernel, const ColumnLoops &loops);
void emitGpuScatter(GpuKernel &kernel);
void emitGpuPoolGradient(GpuKernel &kernel);
/// Those of the kernel's form.
void emitGpuLoops(GpuKernel &kernel);

} // namespace pcc::lower
