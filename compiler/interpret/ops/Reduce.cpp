// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and softmax.

#include "compiler/interpret/Indexing.h"
#include "compiler/interpret/Registry.h"
#include "compiler/interpret/Scalars.h"
#include "compiler/interpret/TensorAttr.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Strides of the result's elements over the input's index: 0 along reduced dimensions.
llvm::SmallVector<int64_t, 4> resultStrides(llvm::ArrayRef<int64_t> inputShape,
                                            llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t, 4> strides(inputShape.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = static_cast<int64_t>(inputShape.size()) - 1; dim >= 0; --dim)
    if (!llvm::is_contained(dims, dim)) {
      strides[dim] = stride;
      stride *= inputShape[dim];
    }
  return strides;
}

template <typename T> T combine(graph::ReduceOpKind kind, T x, T y) {
  switch (kind) {
  case graph::ReduceOpKind::Sum:
  case graph::ReduceOpKind::Mean:
    return add(x, y);
  case graph::ReduceOpKind::Max:
    return maximum(x, y);
  case graph::ReduceOpKind::Min:
    return minimum(x, y);
  case graph::ReduceOpKind::Prod:
    return multiply(x, y);
  }
  llvm_unreachable("every kind is listed");
}

/// What the reduction of no element is.
Element emptyReduction(graph::ReduceOpKind kind, ElementType type) {
  switch (kind) {
  case graph::ReduceOpKind::Sum:
  case graph::ReduceOpKind::Mean:
    return {.i = 0};
  case graph::ReduceOpKind::Prod:
    return isFloat(type) ? Element{.f = 1.0} : Element{.i = 1};
  case graph::ReduceOpKind::Max:
    return isFloat(type) ? Element{.f = -HUGE_VAL} : Element{.i = leastOf(type)};
  case graph::ReduceOpKind::Min:
    return isFloat(type) ? Element{.f = HUGE_VAL} : Element{.i = greatestOf(type)};
  }
  llvm_unreachable("every kind is listed");
}

/// Integer means truncate towards zero.
void divideBy(Tensor &sums, int64_t count) {
  for (Element &sum : sums.mutableElements())
    sum = sums.isFloat() ? Element{.f = sum.f / static_cast<double>(count)}
                         : Element{.i = sum.i / count};
}

Tensor reduce(graph::ReduceOp op, llvm::ArrayRef<Tensor> in) {
  const Tensor &input = in[0];
  graph::ReduceOpKind kind = op.getKind();
  Tensor result = zerosOf(cast<RankedTensorType>(op.getType()));
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  llvm::fill(out, emptyReduction(kind, input.getType()));
  auto strides = resultStrides(input.getShape(), op.getDims());
  int64_t next = 0;
  forEachIndex(input.getShape(), [&](llvm::ArrayRef<int64_t> index) {
    Element &to = out[flatten(index, strides)];
    Element from = input[next++];
    to = input.isFloat() ? Element{.f = combine(kind, to.f, from.f)}
                         : Element{.i = combine(kind, to.i, from.i)};
  });
  if (kind == graph::ReduceOpKind::Mean && result.size() > 0)
    divideBy(result, std::max<int64_t>(input.size() / result.size(), 1));
  return result;
}

Tensor softmax(graph::SoftmaxOp op, llvm::ArrayRef<Tensor> in) {
  const Tensor &x = in[0];
  Tensor result(x.getType(), x.getShape());
  AxisView view(x.getShape(), op.getAxis());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t n = 0; n < view.inner; ++n) {
      double greatest = -HUGE_VAL, sum = 0.0;
      for (int64_t i = 0; i < view.size; ++i)
        greatest = maximum(greatest, x[view.flat(o, i, n)].f);
      for (int64_t i = 0; i < view.size; ++i)
        sum += out[view.flat(o, i, n)].f = std::exp(x[view.flat(o, i, n)].f - greatest);
      for (int64_t i = 0; i < view.size; ++i)
        out[view.flat(o, i, n)].f /= sum;
    }
  return result;
}

} // namespace

void registerReduce(Registry &registry) {
  registry.add<graph::ReduceOp>(reduce);
  registry.add<graph::SoftmaxOp>(softmax);
}

} // namespace pcc::interpret
