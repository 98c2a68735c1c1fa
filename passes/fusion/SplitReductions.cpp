// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitReductions: splits reductions to few values into two steps, for the many processors of a
// GPU.
//
//   %1 = reduce sum %0, [0] : 16384x768           24 blocks, of 32 columns each
//
//   %1 = reshape %0 : 16384x768 to 1024x16x768
//   %2 = reduce sum %1, [0] : 1024x16x768         384 blocks
//   %3 = reduce sum %2, [0] : 16x768              24 blocks, and little to do
//
// A column kernel has one block for about 32 columns. Adjacent rows become columns of their own, as
// many as keep the device busy. A second kernel combines the partial results. A reduction to one
// number is one of one column.
//
//   %1 = reduce sum %0, [0, 2, 3] : 256x64x112x112     64 blocks
//
//   %1 = reduce sum %0, [2, 3] : 256x64x112x112        16,384 blocks
//   %2 = reduce sum %1, [0] : 256x64                   2 blocks, and little to do
//
// A row whose elements are not adjacent, such as the row of a channel, is cut into its contiguous
// runs. The ops that compute its elements then belong to the first kernel, as in any kernel that
// reads rows.
//
// Types of fewer bits are reduced in f32 and rounded at the end, as one kernel would do. The casts
// are part of the kernels. The cut of a reduction depends on sizes alone, and so do the bits of the
// result. The pass chooses between no alternatives. It therefore belongs to the rewriting passes
// and not to the schedule, which decides.
//
// Assumes core ops, and annotations on the sums that belong to matmuls. These sums are not split.
#include "passes/analysis/kernels/Kernels.h"
#include "passes/fusion/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/task/EpilogueAttrs.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/fusion/Passes.h.inc"

/// Columns per block, and the number of blocks that fills the largest GPUs about four times over.
static constexpr int64_t columnsPerBlock = 32, wantedBlocks = 512;
/// With this many columns there are enough blocks.
static constexpr int64_t fewColumns = wantedBlocks / 4 * columnsPerBlock;
/// Minimum number of elements that the first step combines into one value.
static constexpr int64_t minCombined = 32;
/// Number of elements below which a second kernel costs more than it saves.
static constexpr int64_t minElements = 1 << 18;

/// Returns true if parts may be combined before the whole. Parts have the same size, so the mean of
/// their means is the mean of all elements.
static bool mayBeSplit(ReduceOp op) {
  Type type = op.getType().getElementType();
  return op.getKind() != ReduceOpKind::Prod && !op.getCrossBatch() &&
         !op->hasAttr(task::matmulGroupAttrName) &&
         (type.isF32() || type.isF16() || type.isBF16()) &&
         op.getInput().getType().getNumElements() >= minElements;
}

/// Makes the reduction one of f32 and rounds its result.
static void widen(ReduceOp op) {
  RankedTensorType type = op.getType();
  if (type.getElementType().isF32())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value wide = CastOp::create(b, op.getInput().getType().clone(b.getF32Type()), op.getInput());
  op.getInputMutable().assign(wide);
  op.getResult().setType(type.clone(b.getF32Type()));
  b.setInsertionPointAfter(op);
  Value rounded = CastOp::create(b, type, op.getResult());
  op.getResult().replaceAllUsesExcept(rounded, rounded.getDefiningOp());
}

/// Reduces `input`, the operand in some shape, over `first`. The op then combines the partial
/// results over `rest`.
static void reduceBefore(ReduceOp op, Value input, ArrayRef<int64_t> first,
                         ArrayRef<int64_t> rest) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value parts = ReduceOp::create(b, op.getKind(), input, first, /*cross_batch=*/false);
  op.getInputMutable().assign(parts);
  op.setDims(rest);
}

/// Splits a reduction whose rows are not contiguous: first reduces the contiguous runs.
static bool splitRows(ReduceOp op) {
  if (analysis::getReductionLoops(op).contiguous)
    return false;
  ArrayRef<int64_t> dims = op.getDims(), shape = op.getInput().getType().getShape();
  int64_t run = 1; // product of the trailing combined dimensions
  int64_t dim = shape.size();
  while (llvm::is_contained(dims, dim - 1))
    run *= shape[--dim];
  if (run < minCombined)
    return false;
  SmallVector<int64_t> first = llvm::to_vector(llvm::seq<int64_t>(dim, shape.size())), rest;
  llvm::copy_if(dims, std::back_inserter(rest), [&](int64_t d) { return d < dim; });
  widen(op);
  reduceBefore(op, op.getInput(), first, rest);
  return true;
}

/// Returns the number of parts into which the rows of `columns` columns are cut; 1 means no cut.
static int64_t partsOf(int64_t rows, int64_t columns) {
  if (columns >= fewColumns || rows * columns < minElements)
    return 1;
  int64_t parts = std::min(wantedBlocks * columnsPerBlock / columns, rows / minCombined);
  while (rows % parts != 0)
    --parts;
  return parts;
}

static bool splitColumns(ReduceOp op) {
  size_t gone = op.getDims().size();
  if (!llvm::equal(op.getDims(), llvm::seq<int64_t>(0, gone)))
    return false;
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  int64_t rows = llvm::product_of(shape.take_front(gone));
  int64_t parts = partsOf(rows, llvm::product_of(shape.drop_front(gone)));
  if (parts == 1)
    return false;
  SmallVector<int64_t> cut{rows / parts, parts};
  llvm::append_range(cut, shape.drop_front(gone));
  widen(op);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value seen = ReshapeOp::create(b, RankedTensorType::get(cut, b.getF32Type()), op.getInput());
  reduceBefore(op, seen, {0}, {0});
  return true;
}

namespace {
struct SplitReductions : impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    SmallVector<ReduceOp> reductions;
    getOperation().walk([&](ReduceOp op) {
      if (mayBeSplit(op))
        reductions.push_back(op);
    });
    int64_t count = llvm::count_if(reductions, [](ReduceOp op) {
      bool hasRuns = splitRows(op); // the result may have many rows
      return splitColumns(op) || hasRuns;
    });
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("split-reductions").category("fusion"))
        << remark::metric("reductions", count);
  }
};
} // namespace
} // namespace pcc::fusion
