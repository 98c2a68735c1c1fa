// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies ops by kind, then checks groups by element counts. A value of as many elements as
// iterations is full; one of as many elements as rows or columns is reduced. Broadcasts between
// members must repeat each row in place.
#include "passes/analysis/kernels/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "dialects/task/EpilogueAttrs.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::analysis {

/// Maximum elements of a reduction to few values, which runs on few threads. Above this limit, the
/// work before the reduction is better done by all threads, and its result read again.
static constexpr int64_t maxNarrowReductionSize = 1 << 17;
/// Minimum number of columns per iteration of a column kernel.
static constexpr int64_t columnsPerIteration = 64;

static int64_t countOf(Value value) { return cast<ShapedType>(value.getType()).getNumElements(); }

int64_t KernelLoops::reduced() const {
  switch (kind) {
  case FormKind::Rows:
    return outer;
  case FormKind::Columns:
    return inner;
  default:
    return 0;
  }
}

bool isSpecialKernel(const KernelLoops &loops) {
  return loops.kind == FormKind::Matmul || loops.kind == FormKind::Convolution ||
         loops.kind == FormKind::Attention || loops.kind == FormKind::Collective ||
         loops.kind == FormKind::Scatter;
}

bool isNarrow(const KernelLoops &loops) {
  int64_t parallel = loops.kind == FormKind::Rows ? loops.outer : loops.inner / columnsPerIteration;
  return parallel < 4 && loops.full() > maxNarrowReductionSize;
}

std::optional<KernelLoops> unite(const KernelLoops &a, const KernelLoops &b) {
  if (a.kind != FormKind::Map && b.kind == FormKind::Map)
    return unite(b, a);
  if (b.kind == FormKind::Map)
    return a.full() == b.full() ? std::optional(a) : std::nullopt;
  bool isReduction = b.kind == FormKind::Rows || b.kind == FormKind::Columns;
  if (!isReduction)
    return std::nullopt;
  if (a.kind == FormKind::Map) {
    if (a.full() == b.full())
      return isNarrow(b) ? std::nullopt : std::optional(b);
    return a.full() == b.reduced() ? std::optional(b) : std::nullopt;
  }
  return a == b ? std::optional(a) : std::nullopt;
}

/// Returns the loops of a matmul. Those without an instruction are reductions over k.
static KernelLoops loopsOfMatmul(MatmulOp op) {
  int64_t elements = countOf(op.getResult());
  if (hasInstructions(getElementTypeOrSelf(op.getType())))
    return {FormKind::Matmul, elements, 1};
  ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
  return {FormKind::Rows, elements, lhs[lhs.size() - (op.getTransposeLhs() ? 2 : 1)]};
}

/// Returns one iteration per slab before the axis. Slabs are independent; additions within a slab
/// are not.
static KernelLoops loopsOfScatter(ScatterAddOp op) {
  int64_t slabs = 1;
  for (int64_t size : op.getInput().getType().getShape().take_front(op.getAxis()))
    slabs *= size;
  return {FormKind::Scatter, slabs, countOf(op.getResult()) / slabs};
}

/// Returns one iteration per plane of the batch and the channels.
static KernelLoops loopsOfPoolGradient(MaxPoolGradientOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  return {FormKind::Scatter, shape[0] * shape[1], shape[2] * shape[3]};
}

/// Returns true for a composite whose main kernel reduces rows or columns of its first operand.
static bool isReducingComposite(Operation *op) {
  return isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, BatchNormOp, SoftmaxCrossEntropyOp,
             NllOp, MseOp, SigmoidCrossEntropyOp>(op);
}

/// Returns true for a composite that computes its results element by element.
static bool isPointwiseComposite(Operation *op) {
  return isa<RotaryEmbeddingOp, BatchNormInferenceOp, DropoutOp, SgdOp, MomentumOp, AdamOp,
             AdamWeightDecayOp, AdagradOp>(op);
}

/// Returns true for a composite of several kernels that other ops do not join.
static bool runsApart(Operation *op) {
  return isa<ArgmaxOp, ArgminOp, TopKOp, CumsumOp, LambOp>(op);
}

KernelLoops loopsOf(Operation *op) {
  if (isCollective(op) || op->getNumResults() == 0)
    return {FormKind::Collective, 1, 1};
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return loopsOfMatmul(matmul);
  if (isConvolution(op) && hasInstructions(getElementTypeOrSelf(op->getResult(0))))
    return {FormKind::Convolution, countOf(op->getResult(0)), 1};
  if (isAttention(op))
    return {FormKind::Attention, countOf(op->getResult(0)), 1};
  if (auto scatter = dyn_cast<ScatterAddOp>(op))
    return loopsOfScatter(scatter);
  if (auto gradient = dyn_cast<MaxPoolGradientOp>(op))
    return loopsOfPoolGradient(gradient);
  if (isa<EinsumOp>(op))
    return {FormKind::Matmul, countOf(op->getResult(0)), 1};
  if (runsApart(op))
    return {FormKind::Scatter, 1, countOf(op->getResult(0))};
  if (isa<ReduceOp>(op) || isReducingComposite(op)) {
    ReductionLoops loops = getReductionLoops(op);
    return {loops.kind, loops.outer, loops.inner};
  }
  return {FormKind::Map, countOf(op->getResult(0)), 1};
}

/// Extent in which the iterations of a group compute a value.
enum class Level { Full, Reduced };

static std::optional<Level> levelOf(Value value, const KernelLoops &loops) {
  int64_t count = countOf(value);
  if (count == loops.full())
    return Level::Full;
  if (count == loops.reduced())
    return Level::Reduced;
  return std::nullopt;
}

/// Returns true if the result repeats every element of the input `inner` times in a row.
static bool repeatsRows(BroadcastOp op, const KernelLoops &loops) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> result = op.getResult().getType().getShape();
  int64_t rows = 1;
  unsigned next = 0;
  for (auto [dim, size] : llvm::enumerate(result)) {
    bool mapped = next < input.size() && op.getDims()[next] == int64_t(dim);
    int64_t own = mapped ? input[next++] : 1;
    if (own != size && rows != loops.outer)
      return false;
    if (own != 1)
      rows *= own;
  }
  return rows == loops.outer;
}

/// Returns the level of a group's value behind a recomputed op.
static std::optional<Level> carry(Level level, Operation *op, const KernelLoops &loops) {
  auto broadcast = dyn_cast<BroadcastOp>(op);
  if (!broadcast || countOf(broadcast.getInput()) == countOf(broadcast.getResult()))
    return level;
  bool spreads = level == Level::Reduced && loops.kind == FormKind::Rows &&
                 countOf(broadcast.getResult()) == loops.full() && repeatsRows(broadcast, loops);
  return spreads ? std::optional(Level::Full) : std::nullopt;
}

/// Returns true if the consumer may read an operand of the group at `level`.
static bool reads(Operation *consumer, Level level, const KernelLoops &loops) {
  if (isa<ReduceOp>(consumer) || isReducingComposite(consumer)) {
    ReductionLoops own = getReductionLoops(consumer);
    return level == Level::Full && own.contiguous && own.kind == loops.kind &&
           own.outer == loops.outer && own.inner == loops.inner;
  }
  bool isPointwise = consumer->hasTrait<Elementwise>() || isPointwiseComposite(consumer);
  return isPointwise && levelOf(consumer->getResult(0), loops) == level;
}

bool fits(ArrayRef<Operation *> ops, const KernelLoops &loops) {
  DenseSet<Operation *> members(ops.begin(), ops.end());
  for (Operation *op : ops) {
    if (!levelOf(op->getResult(0), loops))
      return false;
    bool legal = true;
    forEachSource(op, [&](Value source, ArrayRef<Operation *> chain) {
      Operation *producer = source.getDefiningOp();
      if (!producer || !members.contains(producer))
        return;
      std::optional<Level> level = levelOf(source, loops);
      for (Operation *between : llvm::reverse(chain))
        level = level ? carry(*level, between, loops) : std::nullopt;
      legal &= level && reads(op, *level, loops);
    });
    if (!legal)
      return false;
  }
  return true;
}

bool readsMemory(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (op->hasAttr(task::attentionAttrName)) // a transpose in the instruction of its attention
    return true;
  return !isRecomputed(op) && isSpecialKernel(loopsOf(op));
}

} // namespace pcc::analysis
