// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loop sizes of a kernel, so that induction variables are positions along dimensions.
//
//   y = x + broadcast b, [1]     x 32x64x49, b 64      cut before 64 and before 49
//
// Cuts go from a value to the values that are computed from it. Code that visits the elements of a
// result reads elements of the operands, so the operands' cuts must fall on ends of its loops too.
#include "passes/lower/host/loops/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Cuts of one value. A cut before dimension d is stored as the number of elements of dimensions d
/// and after. Reshapes do not change this number.
class Cuts {
public:
  void before(ArrayRef<int64_t> shape, unsigned dim) { strides.insert(strideOf(shape, dim)); }
  void around(ArrayRef<int64_t> shape, unsigned dim) {
    before(shape, dim);
    before(shape, dim + 1);
  }
  /// Adds the cuts of a value of the same elements.
  void add(const Cuts &other) { strides.insert(other.strides.begin(), other.strides.end()); }
  /// Adds the cuts of an operand whose dimension d is dimension `dimOf(d)` of `shape`. Drops cuts
  /// that do not fall on a dimension.
  void add(const Cuts &other, ArrayRef<int64_t> operand, ArrayRef<int64_t> shape,
           function_ref<unsigned(unsigned)> dimOf) {
    for (unsigned dim = operand.size(); dim-- > 1;)
      if (other.strides.contains(strideOf(operand, dim)))
        before(shape, dimOf(dim));
  }
  /// Loop sizes for `count` units of `unit` elements. Cuts that do not nest are left out.
  SmallVector<int64_t> loops(int64_t count, int64_t unit) const;

private:
  static int64_t strideOf(ArrayRef<int64_t> shape, unsigned dim) {
    return llvm::accumulate(shape.drop_front(dim), int64_t(1), std::multiplies<>());
  }
  std::set<int64_t> strides;
};

/// The cuts of all values of a kernel.
class KernelCuts {
public:
  explicit KernelCuts(func::FuncOp kernel) {
    for (Operation &op : kernel.getBody().front().without_terminator())
      visit(&op);
  }
  const Cuts &of(Value value) { return cuts[value]; }

private:
  void visit(Operation *op);
  void visit(BroadcastOp op);
  void visit(TransposeOp op);
  void visit(GatherOp op);
  void visit(ReduceOp op);
  void visitAlong(Operation *op, unsigned axis);
  void visitLast(Operation *op, unsigned count);

  llvm::DenseMap<Value, Cuts> cuts;
};
} // namespace

SmallVector<int64_t> Cuts::loops(int64_t count, int64_t unit) const {
  SmallVector<int64_t> sizes;
  int64_t rest = count;
  for (int64_t stride : llvm::reverse(strides)) {
    int64_t units = stride / unit;
    if (stride % unit != 0 || units >= rest || units <= 1 || rest % units != 0)
      continue;
    sizes.push_back(rest / units);
    rest = units;
  }
  sizes.push_back(rest);
  return sizes;
}

void KernelCuts::visit(BroadcastOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult()), input = shapeOf(op.getInput()),
                    dims = op.getDims();
  Cuts own;
  own.add(cuts[op.getInput()], input, shape, [&](unsigned dim) { return unsigned(dims[dim]); });
  bool wasCovered = false, isFirst = true;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    auto it = llvm::find(dims, int64_t(dim));
    bool covered = it != dims.end() && input[it - dims.begin()] == size;
    if (!isFirst && covered != wasCovered)
      own.before(shape, dim);
    wasCovered = covered;
    isFirst = false;
  }
  cuts[op.getResult()] = own;
}

void KernelCuts::visit(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation(), shape = shapeOf(op.getResult());
  Cuts own;
  own.add(cuts[op.getInput()], shapeOf(op.getInput()), shape, [&](unsigned dim) {
    return unsigned(llvm::find(permutation, int64_t(dim)) - permutation.begin());
  });
  for (size_t dim = 1; dim < permutation.size(); ++dim)
    if (permutation[dim] != permutation[dim - 1] + 1)
      own.before(shape, dim);
  cuts[op.getResult()] = own;
}

void KernelCuts::visit(GatherOp op) {
  unsigned first = op.getAxis(), count = op.getIndices().getType().getRank();
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  Cuts own;
  own.add(cuts[op.getInput()], shapeOf(op.getInput()), shape,
          [&](unsigned dim) { return dim <= first ? dim : dim + count - 1; });
  own.add(cuts[op.getIndices()], shapeOf(op.getIndices()), shape,
          [&](unsigned dim) { return first + dim; });
  own.before(shape, first);
  own.before(shape, first + count);
  cuts[op.getResult()] = own;
}

/// Handles a reduction that is computed inside the kernel. The result is cut where combined
/// dimensions lie between dimensions that stay.
void KernelCuts::visit(ReduceOp op) {
  ArrayRef<int64_t> input = shapeOf(op.getInput()), shape = shapeOf(op.getResult());
  Cuts own;
  unsigned kept = 0;
  bool wasCombined = false;
  for (unsigned dim = 0; dim < input.size(); ++dim) {
    bool isCombined = llvm::is_contained(op.getDims(), int64_t(dim));
    if (!isCombined && wasCombined && kept < shape.size())
      own.before(shape, kept);
    wasCombined = isCombined;
    kept += !isCombined;
  }
  cuts[op.getResult()] = own;
}

/// Handles an op that distinguishes one dimension; operands and result have the same dimensions.
void KernelCuts::visitAlong(Operation *op, unsigned axis) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  Cuts own;
  for (Value operand : op->getOperands())
    if (shapeOf(operand).size() == shape.size())
      own.add(cuts[operand], shapeOf(operand), shape, [](unsigned dim) { return dim; });
  own.around(shape, axis);
  cuts[op->getResult(0)] = own;
}

/// Handles an op that distinguishes each of the last `count` dimensions.
void KernelCuts::visitLast(Operation *op, unsigned count) {
  unsigned rank = shapeOf(op->getResult(0)).size();
  visitAlong(op, rank - count);
  for (unsigned dim = rank - count + 1; dim < rank; ++dim)
    cuts[op->getResult(0)].before(shapeOf(op->getResult(0)), dim);
}

void KernelCuts::visit(Operation *op) {
  auto same = [&](Operation *op) {
    Cuts own;
    for (Value operand : op->getOperands())
      if (countOf(operand) == countOf(op->getResult(0)))
        own.add(cuts[operand]);
    cuts[op->getResult(0)] = own;
  };
  if (analysis::isView(op))
    return same(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<BroadcastOp, TransposeOp, GatherOp, ReduceOp>([&](auto op) { visit(op); })
      .Case<IotaOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp, PadOp, ConcatOp, OneHotOp>(
          [&](auto op) { visitAlong(op, op.getAxis()); })
      .Case<MaxPoolOp, AvgPoolOp, MatmulOp>([&](auto op) { visitLast(op, 2); })
      .Case<Conv2dOp, Conv2dInputGradientOp, Conv2dWeightGradientOp>(
          [&](auto op) { visitLast(op, 4); })
      .Default(same);
}

SmallVector<int64_t> loopSizes(func::FuncOp kernel, int64_t elements, int64_t count, int64_t unit) {
  KernelCuts cuts(kernel);
  Cuts visited;
  auto visit = [&](Value value) {
    if (countOf(value) == elements)
      visited.add(cuts.of(value));
  };
  Block &body = kernel.getBody().front();
  for (Value result : body.getTerminator()->getOperands())
    visit(result);
  for (auto reduction : body.getOps<ReduceOp>())
    visit(reduction.getInput());
  return visited.loops(count, unit);
}

} // namespace pcc::lower
