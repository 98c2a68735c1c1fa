// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the loops that compute ops.
#include "passes/fusion/Groups.h"

#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::fusion {

static int64_t countOf(Value value) { return cast<ShapedType>(value.getType()).getNumElements(); }

int64_t Loops::reduced() const {
  switch (kind) {
  case FormKind::Rows:
    return outer;
  case FormKind::Columns:
    return inner;
  default:
    return 0;
  }
}

/// Returns the loops of a matmul. Float matmuls go to the library; integer matmuls are reductions
/// over k.
static Loops loopsOfMatmul(MatmulOp op) {
  int64_t elements = countOf(op.getResult());
  if (isa<FloatType>(getElementTypeOrSelf(op.getType())))
    return {FormKind::Matmul, elements, 1};
  ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
  return {FormKind::Rows, elements, lhs[lhs.size() - (op.getTransposeLhs() ? 2 : 1)]};
}

/// Returns one iteration per slab before the axis. Slabs are independent; additions within a slab
/// are not.
static Loops loopsOfScatter(ScatterAddOp op) {
  int64_t slabs = 1;
  for (int64_t size : op.getInput().getType().getShape().take_front(op.getAxis()))
    slabs *= size;
  return {FormKind::Scatter, slabs, countOf(op.getResult()) / slabs};
}

/// Returns one iteration per plane of the batch and the channels.
static Loops loopsOfPoolGradient(MaxPoolGradientOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  return {FormKind::Scatter, shape[0] * shape[1], shape[2] * shape[3]};
}

Loops loopsOf(Operation *op) {
  if (analysis::isCollective(op))
    return {FormKind::Collective, 1, 1};
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return loopsOfMatmul(matmul);
  if (analysis::isConvolution(op))
    return {FormKind::Convolution, countOf(op->getResult(0)), 1};
  if (analysis::isAttention(op))
    return {FormKind::Attention, countOf(op->getResult(0)), 1};
  if (auto scatter = dyn_cast<ScatterAddOp>(op))
    return loopsOfScatter(scatter);
  if (auto gradient = dyn_cast<MaxPoolGradientOp>(op))
    return loopsOfPoolGradient(gradient);
  if (isa<ReduceOp>(op)) {
    analysis::ReductionLoops loops = analysis::getReductionLoops(op);
    return {loops.kind, loops.outer, loops.inner};
  }
  return {FormKind::Map, countOf(op->getResult(0)), 1};
}

/// Extent in which the iterations of a group compute a value.
enum class Level { Full, Reduced };

static std::optional<Level> levelOf(Value value, const Loops &loops) {
  int64_t count = countOf(value);
  if (count == loops.full())
    return Level::Full;
  if (count == loops.reduced())
    return Level::Reduced;
  return std::nullopt;
}

/// Whether the result repeats every element of the input `inner` times in a row.
static bool repeatsRows(BroadcastOp op, const Loops &loops) {
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
static std::optional<Level> carry(Level level, Operation *op, const Loops &loops) {
  auto broadcast = dyn_cast<BroadcastOp>(op);
  if (!broadcast || countOf(broadcast.getInput()) == countOf(broadcast.getResult()))
    return level;
  bool spreads = level == Level::Reduced && loops.kind == FormKind::Rows &&
                 countOf(broadcast.getResult()) == loops.full() && repeatsRows(broadcast, loops);
  return spreads ? std::optional(Level::Full) : std::nullopt;
}

/// Whether the consumer may read an operand of the group at `level`.
static bool reads(Operation *consumer, Level level, const Loops &loops) {
  if (isa<ReduceOp>(consumer)) {
    analysis::ReductionLoops own = analysis::getReductionLoops(consumer);
    return level == Level::Full && own.contiguous && own.kind == loops.kind &&
           own.outer == loops.outer && own.inner == loops.inner;
  }
  return consumer->hasTrait<Elementwise>() && levelOf(consumer->getResult(0), loops) == level;
}

bool fits(ArrayRef<Operation *> ops, const Loops &loops) {
  DenseSet<Operation *> members(ops.begin(), ops.end());
  for (Operation *op : ops) {
    if (!levelOf(op->getResult(0), loops))
      return false;
    bool legal = true;
    analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *> chain) {
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

} // namespace pcc::fusion
