// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of ops that act along one axis. If the op changes the size or order of the axis, the
// axis is whole, with separate factors before and after. All other dimensions are parallel.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Returns one parallel factor for each dimension; the given factors at `axis`.
static TensorFactors parallelBut(FactorRule &rule, ArrayRef<int64_t> shape, int64_t axis,
                                 DimFactors atAxis) {
  TensorFactors dims;
  for (auto [index, size] : llvm::enumerate(shape))
    dims.push_back(int64_t(index) == axis ? atAxis : rule.addDim(size));
  return dims;
}

/// Returns `like` with a whole factor of `shape`'s own size at `axis`.
static TensorFactors wholeAt(FactorRule &rule, const TensorFactors &like, ArrayRef<int64_t> shape,
                             int64_t axis) {
  TensorFactors dims = like;
  dims[axis] = rule.addDim(shape[axis], FactorKind::Whole);
  return dims;
}

/// Returns the rule of an op from one tensor to another of another size along `axis`; pointwise for
/// an identity.
static FactorRule alongAxis(RankedTensorType from, RankedTensorType to, int64_t axis,
                            bool identity) {
  if (identity)
    return FactorRule::pointwise(from.getShape(), 1);
  FactorRule rule;
  TensorFactors input = parallelBut(rule, from.getShape(), axis, {});
  rule.addOperand(wholeAt(rule, input, from.getShape(), axis));
  rule.addResult(wholeAt(rule, input, to.getShape(), axis));
  return rule;
}

FactorRule SliceOp::getFactorRule() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  FactorRule rule = alongAxis(from, to, getAxis(), from == to && getStride() == 1);
  rule.addLinearAnyKind(0);
  return rule;
}

FactorRule DynamicSliceOp::getFactorRule() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  FactorRule rule = alongAxis(from, to, getAxis(), from == to);
  rule.addOperand({}); // the start
  rule.addLinearAnyKind(0);
  return rule;
}

FactorRule DynamicUpdateSliceOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> whole = getInput().getType().getShape();
  TensorFactors dims = parallelBut(rule, whole, getAxis(), {});
  TensorFactors input = wholeAt(rule, dims, whole, getAxis());
  rule.addOperand(input);
  rule.addOperand(wholeAt(rule, dims, getUpdate().getType().getShape(), getAxis()));
  rule.addOperand({}); // the start
  rule.addResult(input);
  rule.addLinearAnyKind({0, 1});
  return rule;
}

/// A pad of zeros keeps sums, a pad of ones keeps products. Maxima and minima keep any pad, because
/// every rank has it.
FactorRule PadOp::getFactorRule() {
  FactorRule rule = alongAxis(getInput().getType(), getResult().getType(), getAxis(),
                              getLow() == 0 && getHigh() == 0);
  rule.addLinear(0, ReduceKind::Max);
  rule.addLinear(0, ReduceKind::Min);
  if (getValue().isZero())
    rule.addLinear(0);
  if (getValue().isExactlyValue(1.0))
    rule.addLinear(0, ReduceKind::Prod);
  return rule;
}

FactorRule ConcatOp::getFactorRule() {
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, getInputs().size()));
  FactorRule rule;
  if (all.size() == 1) {
    rule = FactorRule::pointwise(shapeOf(getResult()), 1);
  } else {
    TensorFactors dims = parallelBut(rule, shapeOf(getResult()), getAxis(), {});
    for (Value input : getInputs())
      rule.addOperand(wholeAt(rule, dims, shapeOf(input), getAxis()));
    rule.addResult(wholeAt(rule, dims, shapeOf(getResult()), getAxis()));
  }
  rule.addLinearAnyKind(all);
  return rule;
}

FactorRule SplitOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> input = getInput().getType().getShape();
  if (getResults().size() == 1) {
    rule = FactorRule::pointwise(input, 1);
  } else {
    TensorFactors dims = parallelBut(rule, input, getAxis(), {});
    rule.addOperand(wholeAt(rule, dims, input, getAxis()));
    for (Value result : getResults())
      rule.addResult(
          wholeAt(rule, dims, cast<RankedTensorType>(result.getType()).getShape(), getAxis()));
  }
  rule.addLinearAnyKind(0);
  return rule;
}

/// Replaces the dimension at `axis` of `dims` by those of the indices.
static TensorFactors replaceAxis(const TensorFactors &dims, int64_t axis,
                                 const TensorFactors &indices) {
  TensorFactors replaced(dims.begin(), dims.begin() + axis);
  llvm::append_range(replaced, indices);
  replaced.append(dims.begin() + axis + 1, dims.end());
  return replaced;
}

static TensorFactors addDims(FactorRule &rule, ArrayRef<int64_t> shape, FactorKind kind) {
  TensorFactors dims;
  for (int64_t size : shape)
    dims.push_back(rule.addDim(size, kind));
  return dims;
}

/// The factors of the indices come first, as in a device matrix.
FactorRule GatherOp::getFactorRule() {
  FactorRule rule;
  TensorFactors indices = addDims(rule, getIndices().getType().getShape(), FactorKind::Parallel);
  ArrayRef<int64_t> table = getInput().getType().getShape();
  TensorFactors input = addDims(rule, table, FactorKind::Parallel);
  if (!input[getAxis()].empty())
    rule.getFactor(input[getAxis()].front()).kind = FactorKind::Whole;
  rule.addOperand(input);
  rule.addOperand(indices);
  rule.addResult(replaceAxis(input, getAxis(), indices));
  rule.addLinearAnyKind(0);
  return rule;
}

/// Split updates leave partial sums, to which the input must be added once: see LinearSet.
FactorRule ScatterAddOp::getFactorRule() {
  FactorRule rule;
  TensorFactors input = addDims(rule, getInput().getType().getShape(), FactorKind::Parallel);
  if (!input[getAxis()].empty())
    rule.getFactor(input[getAxis()].front()).kind = FactorKind::Whole;
  TensorFactors indices = addDims(rule, getIndices().getType().getShape(), FactorKind::Reduce);
  rule.addOperand(input);
  rule.addOperand(indices);
  rule.addOperand(replaceAxis(input, getAxis(), indices));
  rule.addResult(input);
  rule.addLinear({0, 2});
  return rule;
}

FactorRule OneHotOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> result = getResult().getType().getShape();
  TensorFactors dims = parallelBut(rule, result, getAxis(), {});
  TensorFactors indices = dims;
  indices.erase(indices.begin() + getAxis());
  rule.addOperand(indices);
  rule.addResult(wholeAt(rule, dims, result, getAxis()));
  return rule;
}
