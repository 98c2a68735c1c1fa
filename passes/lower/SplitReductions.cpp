// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitReductions: reductions of many rows to few columns, for the many processors of a GPU.
//
//   %1 = reduce sum %0, [0] : 16384x768           24 blocks, of 32 columns each
//
//   %1 = reshape %0 : 16384x768 to 1024x16x768
//   %2 = reduce sum %1, [0] : 1024x16x768         384 blocks
//   %3 = reduce sum %2, [0] : 16x768              24 blocks, and little to do
//
// A column kernel has a block for some 32 columns. Rows that lie next to each other become columns
// of their own, as many as keep the device busy; a second kernel combines what they give. A
// reduction to one number is one of one column. How rows are cut follows from sizes alone, and so
// do the bits of the result. Only f32: a type of fewer bits would round what lies between. As for
// the pieces that a thread has of a row, there is nothing to choose: so this stands with what
// rewrites, and not with the schedule that decides.
//
// Assumes core ops, and marks on the sums that belong to products, which stay.
#include "passes/lower/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/task/Products.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/lower/Passes.h.inc"

/// Columns of a block, and the blocks that fill the largest GPUs some four times over.
static constexpr int64_t columnsOfBlock = 32, mostBlocks = 512;
/// With more columns there are blocks enough.
static constexpr int64_t fewColumns = mostBlocks / 4 * columnsOfBlock;
/// Rows that are left to a column, and elements below which a second kernel costs more than it
/// saves.
static constexpr int64_t leastRows = 32, leastElements = 1 << 18;

/// In how many parts the rows are cut; 1 where they are not.
static int64_t partsOf(int64_t rows, int64_t columns) {
  if (columns >= fewColumns || rows * columns < leastElements)
    return 1;
  int64_t parts = std::min(mostBlocks * columnsOfBlock / columns, rows / leastRows);
  while (rows % parts != 0)
    --parts;
  return parts;
}

/// True if it combines whole rows of f32, parts of which may be combined before; parts are of one
/// size, so a mean is that of their means.
static bool mayBeSplit(ReduceOp op) {
  return op.getKind() != ReduceOpKind::Prod && !op.getCrossBatch() &&
         !op->hasAttr(task::productAttrName) && op.getType().getElementType().isF32() &&
         llvm::equal(op.getDims(), llvm::seq<int64_t>(0, op.getDims().size()));
}

static bool split(ReduceOp op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  size_t gone = op.getDims().size();
  int64_t rows = llvm::product_of(shape.take_front(gone));
  int64_t columns = llvm::product_of(shape.drop_front(gone));
  int64_t parts = partsOf(rows, columns);
  if (parts == 1)
    return false;
  SmallVector<int64_t> cut{rows / parts, parts};
  llvm::append_range(cut, shape.drop_front(gone));
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type element = op.getType().getElementType();
  Value seen = ReshapeOp::create(b, RankedTensorType::get(cut, element), op.getInput());
  const int64_t first[] = {0};
  Value partial = ReduceOp::create(b, op.getKind(), seen, first, /*cross_batch=*/false);
  op.getInputMutable().assign(partial);
  op.setDims(first);
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
    int64_t count = llvm::count_if(reductions, split);
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("split-reductions").category("lower"))
        << remark::metric("reductions", count);
  }
};
} // namespace
} // namespace pcc::lower
