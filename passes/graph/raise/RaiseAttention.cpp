// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes attention: a softmax of scores between two matmuls, on tensors [batch, heads,
// positions, width], or [heads, positions, width] with the heads of all samples in one dimension.
// Numbers become the scale, casts of the scores disappear, since an attention computes them in f32.
// A constant mask that hides the positions ahead becomes `causal`, one that hides nothing
// disappears, others become one mask without its repetitions. Heads that are repeated for groups
// are read once. Einsums around a softmax count as matmuls. Assumes canonical form; leaves the
// matched ops to be erased if nothing else reads them. A softmax between two matmuls that is no
// attention gets a remark with the reason.
#include "dialects/graph/decompose/Decompose.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/graph/Passes.h"
#include "passes/graph/raise/AttentionScores.h"
#include "passes/graph/raise/MissedAttention.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHRAISEATTENTION
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Returns `query` with 0 in rows for which `rowHasVisible` is not above 0.
static Value keepRows(Value query, Value rowHasVisible, PatternRewriter &rewriter, Location loc) {
  RankedTensorType type = typeOf(query);
  Value zero = ConstantOp::create(rewriter, loc, typeOf(rowHasVisible), 0.0);
  Value keeps = CompareOp::create(rewriter, loc, Direction::GT, rowHasVisible, zero);
  Value repeated = BroadcastOp::create(rewriter, loc, type.clone(rewriter.getI1Type()), keeps,
                                       ArrayRef<int64_t>{0, 1, 2});
  return SelectOp::create(rewriter, loc, type, repeated, query,
                          ConstantOp::create(rewriter, loc, type, 0.0));
}

/// Adds the values that `inputs` only rearrange. A match may rearrange an input anew, and then ops
/// of the file lead to the value before it.
static SmallVector<Value> withSources(ArrayRef<Value> inputs) {
  SmallVector<Value> values(inputs);
  for (Value value : inputs)
    while (isa_and_present<ReshapeOp, TransposeOp>(value.getDefiningOp()))
      values.push_back(value = value.getDefiningOp()->getOperand(0));
  return values;
}

static LogicalResult raiseAttention(MatmulOp op, PatternRewriter &rewriter) {
  std::string obstacle;
  std::optional<AttentionMatch> match = matchAttention(op, obstacle);
  if (!match)
    return failure();
  shapeOperands(*match, rewriter);
  SmallVector<Value> inputs{match->query, match->key, match->value};
  for (const Mask &mask : match->masks)
    inputs.push_back(mask.value);
  Location loc = fuseLocations(op, withSources(inputs));
  RankedTensorType query = typeOf(match->query);
  int64_t scores[] = {query.getDimSize(0), query.getDimSize(1), query.getDimSize(2),
                      typeOf(match->key).getDimSize(2)};
  Masking masking = Masks(match->masks, scores, query.getElementType()).build(rewriter, loc);
  if (masking.rowHasVisible)
    match->query = keepRows(match->query, masking.rowHasVisible, rewriter, loc);
  auto attention =
      AttentionOp::create(rewriter, loc, match->query, match->key, match->value, masking.mask,
                          masking.offset, llvm::APFloat(match->scale), masking.causal);
  Value result = attention.getResult();
  if (result.getType() != op.getType())
    result = ReshapeOp::create(rewriter, loc, op.getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

/// An attention of the file reads repeated heads once.
static LogicalResult groupHeads(AttentionOp op, PatternRewriter &rewriter) {
  Value key = op.getKey(), value = op.getValue();
  if (!takeGroups(key, value, rewriter))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getKeyMutable().assign(key);
    op.getValueMutable().assign(value);
  });
  return success();
}

/// Drops a constant mask that hides nothing, and turns a causal one into the flag.
static LogicalResult simplifyMask(AttentionOp op, PatternRewriter &rewriter) {
  RankedTensorType query = op.getQuery().getType();
  if (!op.getMask() || op.getCausal())
    return failure();
  RankedTensorType type = typeOf(op.getMask());
  if (type.getDimSize(2) != query.getDimSize(2) ||
      type.getDimSize(3) != op.getKey().getType().getDimSize(2))
    return failure();
  Mask mask;
  mask.value = op.getMask();
  Masks masks(mask, type.getShape(), query.getElementType());
  if (!masks.isFlag())
    return failure();
  Masking masking = masks.build(rewriter, op.getLoc());
  rewriter.replaceOpWithNewOp<AttentionOp>(op, op.getQuery(), op.getKey(), op.getValue(), Value(),
                                           masking.offset, op.getScale(), masking.causal);
  return success();
}

/// Returns whether `op` stands between the matmuls of an attention.
static bool isInside(Operation *op) {
  return isa<SelectOp, AddOp, SubOp, MulOp, DivOp, CastOp, ReshapeOp, CompareOp>(op);
}

/// Finds the einsums from which `softmax` gets its scores, and those that read its weights.
static void findEinsums(SoftmaxOp softmax, llvm::SetVector<EinsumOp> &found) {
  llvm::SetVector<Operation *> before, behind;
  before.insert(softmax);
  behind.insert(softmax);
  SmallVector<EinsumOp> sources, readers;
  constexpr size_t maxOps = 32;
  for (size_t next = 0; next < before.size() && next < maxOps; ++next)
    for (Value operand : before[next]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (auto einsum = dyn_cast_if_present<EinsumOp>(op))
        sources.push_back(einsum);
      else if (op && isInside(op))
        before.insert(op);
    }
  for (size_t next = 0; next < behind.size() && next < maxOps; ++next)
    for (Operation *op : behind[next]->getUsers()) {
      if (auto einsum = dyn_cast<EinsumOp>(op))
        readers.push_back(einsum);
      else if (isInside(op))
        behind.insert(op);
    }
  if (sources.empty() || readers.empty())
    return;
  found.insert(sources.begin(), sources.end());
  found.insert(readers.begin(), readers.end());
}

/// Finds all einsums around softmaxes in `root`; returns the number of these softmaxes.
static size_t findEinsums(Operation *root, llvm::SetVector<EinsumOp> &found) {
  size_t count = 0;
  root->walk([&](SoftmaxOp softmax) {
    size_t before = found.size();
    findEinsums(softmax, found);
    count += found.size() > before;
  });
  return count;
}

static LogicalResult raiseMatmuls(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add(raiseAttention);
  patterns.add(groupHeads);
  patterns.add(simplifyMask);
  return applyPatternsGreedily(root, std::move(patterns));
}

/// Turns the einsums around softmaxes into matmuls, and raises these.
static LogicalResult raiseEinsums(Operation *root) {
  llvm::SetVector<EinsumOp> einsums;
  findEinsums(root, einsums);
  for (EinsumOp op : einsums) {
    DecompositionBuilder builder(op);
    op->replaceAllUsesWith(decompose(op, builder));
    op->erase();
  }
  // Folds transposes that change nothing.
  return failed(applyPatternsGreedily(root, RewritePatternSet(root->getContext())))
             ? failure()
             : raiseMatmuls(root);
}

static size_t countAttentions(Operation *root) {
  size_t count = 0;
  root->walk([&](AttentionOp) { ++count; });
  return count;
}

/// Returns whether every softmax between einsums becomes an attention, by a trial on a copy.
/// Einsums that stay must not become matmuls, whose merged dimensions can be split in fewer ways.
static bool canRaiseEinsums(Operation *root) {
  llvm::SetVector<EinsumOp> einsums;
  size_t count = findEinsums(root, einsums);
  if (count == 0)
    return false;
  OwningOpRef<Operation *> trial = root->clone();
  return succeeded(raiseEinsums(*trial)) &&
         countAttentions(*trial) == countAttentions(root) + count;
}

namespace {
struct RaiseAttention : pcc::graph::impl::GraphRaiseAttentionBase<RaiseAttention> {
  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(raiseMatmuls(root)) || (canRaiseEinsums(root) && failed(raiseEinsums(root))))
      return signalPassFailure();
    for (const MissedAttention &missed : findMissedAttentions(root))
      remark::missed(missed.softmax->getLoc(),
                     remark::RemarkOpts::name("raise-attention").category("graph"))
          << remark::metric("op", pcc::analysis::getName(missed.softmax))
          << remark::reason("{0}", missed.reason);
  }
};
} // namespace
