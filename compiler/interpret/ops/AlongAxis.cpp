// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops along one axis whose result depends on the order of elements: extrema and cumulative sums.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/Scalars.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Graph.h"
#include <numeric>

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Orders elements: returns whether the first element is greater than the second, or less with
/// `towardsMin`. NaN comes before all numbers.
class IsBeyond {
public:
  IsBeyond(const Tensor &x, bool towardsMin) : x(x), towardsMin(towardsMin) {}

  bool operator()(int64_t a, int64_t b) const {
    if (isUnsigned(x.getType())) {
      auto first = static_cast<uint64_t>(x[a].i), second = static_cast<uint64_t>(x[b].i);
      return towardsMin ? first < second : first > second;
    }
    if (!x.isFloat())
      return towardsMin ? x[a].i < x[b].i : x[a].i > x[b].i;
    if (std::isnan(x[a].f) || std::isnan(x[b].f))
      return !std::isnan(x[b].f);
    return towardsMin ? x[a].f < x[b].f : x[a].f > x[b].f;
  }

private:
  const Tensor &x;
  bool towardsMin;
};

template <typename Op, bool towardsMin> Tensor argument(Op op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  AxisView view(in[0].getShape(), op.getAxis());
  IsBeyond isBeyond(in[0], towardsMin);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t n = 0; n < view.inner; ++n) {
      int64_t best = 0;
      for (int64_t i = 1; i < view.size; ++i) {
        int64_t next = view.flat(o, i, n), held = view.flat(o, best, n);
        if (op.getLast() ? !isBeyond(held, next) : isBeyond(next, held))
          best = i;
      }
      out[o * view.inner + n].i = best;
    }
  return result;
}

LogicalResult topK(graph::TopKOp op, OpCall &call) {
  const Tensor &x = call.operands[0];
  Tensor values = zerosOf(op.getValues().getType()), indices = zerosOf(op.getIndices().getType());
  AxisView from(x.getShape(), op.getAxis()), to(values.getShape(), op.getAxis());
  IsBeyond isBeyond(x, op.getSmallest());
  llvm::MutableArrayRef<Element> chosen = values.mutableElements(),
                                 numbers = indices.mutableElements();
  std::vector<int64_t> order(from.size);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      std::iota(order.begin(), order.end(), int64_t(0));
      llvm::stable_sort(order, [&](int64_t a, int64_t b) {
        return isBeyond(from.flat(o, a, n), from.flat(o, b, n));
      });
      for (int64_t place = 0; place < to.size; ++place) {
        chosen[to.flat(o, place, n)] = x[from.flat(o, order[place], n)];
        numbers[to.flat(o, place, n)].i = order[place];
      }
    }
  call.results.append({values, indices});
  return success();
}

Tensor cumsum(graph::CumsumOp op, llvm::ArrayRef<Tensor> in) {
  const Tensor &x = in[0];
  Tensor result(x.getType(), x.getShape());
  AxisView view(x.getShape(), op.getAxis());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t n = 0; n < view.inner; ++n) {
      Element sum{.i = 0};
      for (int64_t i = 0; i < view.size; ++i) {
        int64_t at = view.flat(o, op.getReverse() ? view.size - 1 - i : i, n);
        Element before = sum;
        sum = x.isFloat() ? Element{.f = add(sum.f, x[at].f)} : Element{.i = add(sum.i, x[at].i)};
        out[at] = op.getExclusive() ? before : sum;
      }
    }
  return result;
}

} // namespace

void registerAlongAxis(Registry &registry) {
  registry.add<graph::ArgmaxOp>(argument<graph::ArgmaxOp, false>);
  registry.add<graph::ArgminOp>(argument<graph::ArgminOp, true>);
  registry.add<graph::TopKOp>(topK);
  registry.add<graph::CumsumOp>(cumsum);
}

} // namespace pcc::interpret
