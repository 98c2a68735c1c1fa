// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical form: applies rewrites that folders of single ops cannot express. Assumes nothing.
// Leaves a program that means the same, with transposes inside matmul's flags and without ops that
// change nothing.
#include "dialects/graph/Graph.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"
#include "passes/graph/ShapeChain.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHCANONICALIZE
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// matmul(transpose(a), b) reads `a` transposed itself; likewise on the right.
static LogicalResult absorbOperandTransposes(MatmulOp op, PatternRewriter &rewriter) {
  Value lhs = findSwapped(op.getLhs(), rewriter), rhs = findSwapped(op.getRhs(), rewriter);
  if (!lhs && !rhs)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    if (lhs) {
      op.getLhsMutable().assign(lhs);
      op.setTransposeLhs(!op.getTransposeLhs());
    }
    if (rhs) {
      op.getRhsMutable().assign(rhs);
      op.setTransposeRhs(!op.getTransposeRhs());
    }
  });
  return success();
}

/// Replaces a chain of reshapes and transposes by a shorter one.
template <typename Op> static LogicalResult shortenChain(Op op, PatternRewriter &rewriter) {
  Value simple = simplifyShapeChain(op, rewriter);
  if (simple == op.getResult())
    return failure();
  rewriter.replaceOp(op, simple);
  return success();
}

/// transpose(matmul(a, b)) = matmul(bᵀ, aᵀ), if the matmul has no other reader. The result has both
/// names.
static LogicalResult absorbResultTranspose(TransposeOp op, PatternRewriter &rewriter) {
  auto matmul = op.getInput().getDefiningOp<MatmulOp>();
  if (!matmul || !matmul->hasOneUse() || !findSwapped(op, rewriter))
    return failure();
  auto swapped = MatmulOp::create(rewriter, rewriter.getFusedLoc({matmul.getLoc(), op.getLoc()}),
                                  matmul.getRhs(), matmul.getLhs(), !matmul.getTransposeRhs(),
                                  !matmul.getTransposeLhs());
  rewriter.replaceOp(op, swapped);
  return success();
}

static LogicalResult dropPad(PadOp op, PatternRewriter &rewriter) {
  if (op.getLow() != 0 || op.getHigh() != 0)
    return failure();
  rewriter.replaceOp(op, op.getInput());
  return success();
}

static LogicalResult dropConcat(ConcatOp op, PatternRewriter &rewriter) {
  if (op.getInputs().size() != 1)
    return failure();
  rewriter.replaceOp(op, op.getInputs().front());
  return success();
}

static LogicalResult dropSplit(SplitOp op, PatternRewriter &rewriter) {
  if (op.getResults().size() != 1)
    return failure();
  rewriter.replaceOp(op, op.getInput());
  return success();
}

/// Replaces a gather by one constant index by a slice. A row of padding, which gets no gradient,
/// stays a gather.
static LogicalResult gatherToSlice(GatherOp op, PatternRewriter &rewriter) {
  std::optional<double> index = findSplat(op.getIndices());
  if (std::optional<int64_t> padding = op.getPaddingIndex(); padding && index == double(*padding))
    return failure();
  RankedTensorType type = op.getInput().getType();
  int64_t axis = op.getAxis();
  if (!index || typeOf(op.getIndices()).getNumElements() != 1 || *index < 0 ||
      *index >= double(type.getDimSize(axis)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  Value slice = SliceOp::create(rewriter, op.getLoc(), type.clone(shape), op.getInput(), axis,
                                int64_t(*index));
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
  return success();
}

/// A reduction over dimensions of size one only changes the shape.
static LogicalResult reduceToReshape(ReduceOp op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType(), to = op.getResult().getType();
  if (from.getNumElements() != to.getNumElements())
    return failure();
  if (from == to)
    rewriter.replaceOp(op, op.getInput());
  else
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, op.getInput());
  return success();
}

/// Replaces a block of a broadcast, cut along a repeated dimension, by a smaller broadcast.
static LogicalResult sliceBroadcast(DynamicSliceOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getInput().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  const int64_t *dim = llvm::find(broadcast.getDims(), int64_t(op.getAxis()));
  bool isRepeated = dim == broadcast.getDims().end();
  if (!isRepeated) {
    auto type = broadcast.getInput().getType();
    isRepeated = type.getDimSize(dim - broadcast.getDims().begin()) == 1;
  }
  if (!isRepeated)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getInput(),
                                           broadcast.getDims());
  return success();
}

static LogicalResult dropSelect(SelectOp op, PatternRewriter &rewriter) {
  if (op.getOnTrue() != op.getOnFalse())
    return failure();
  rewriter.replaceOp(op, op.getOnTrue());
  return success();
}

namespace {
struct Canonicalize : public pcc::graph::impl::GraphCanonicalizeBase<Canonicalize> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(absorbOperandTransposes);
    patterns.add(absorbResultTranspose);
    patterns.add(shortenChain<ReshapeOp>);
    patterns.add(shortenChain<TransposeOp>);
    patterns.add(dropPad);
    patterns.add(dropConcat);
    patterns.add(dropSplit);
    patterns.add(gatherToSlice);
    patterns.add(reduceToReshape);
    patterns.add(dropSelect);
    patterns.add(sliceBroadcast);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
