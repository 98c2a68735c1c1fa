// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move elements. Each is one call of `rearrange` with a map from result to input indices.

#include "compiler/import/Evaluate.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace pcc::import {
namespace {

using Index = llvm::SmallVector<int64_t>;

/// Steps `index` to the next one of `shape` in row-major order.
void advance(Index &index, llvm::ArrayRef<int64_t> shape) {
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (++index[dim] < shape[dim])
      return;
    index[dim] = 0;
  }
}

int64_t linearise(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    linear = linear * size + i;
  return linear;
}

/// The tensor of `shape` whose element at `index` is `source(index)`.
Constant generate(Type elementType, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<Scalar(const Index &)> source) {
  Constant result{elementType, llvm::to_vector(shape), {}};
  result.values.reserve(result.size());
  Index index(shape.size(), 0);
  for (int64_t i = 0, end = result.size(); i < end; ++i, advance(index, shape))
    result.values.push_back(source(index));
  return result;
}

/// The tensor of `shape` whose element at `index` is that of `x` at `map(index)`.
Constant rearrange(const Constant &x, llvm::ArrayRef<int64_t> shape,
                   llvm::function_ref<Index(const Index &)> map) {
  if (x.isSplat())
    return Constant::splat(x.elementType, shape, x.values.front());
  return generate(x.elementType, shape,
                  [&](const Index &index) { return x[linearise(map(index), x.shape)]; });
}

} // namespace

Constant evaluateReshape(const Constant &x, llvm::ArrayRef<int64_t> shape) {
  return {x.elementType, llvm::to_vector(shape), x.values};
}

Constant evaluateTranspose(const Constant &x, llvm::ArrayRef<int64_t> permutation) {
  auto shape = llvm::map_to_vector(permutation, [&](int64_t dim) { return x.shape[dim]; });
  return rearrange(x, shape, [&](const Index &index) {
    Index from(index.size());
    for (auto [i, dim] : llvm::zip_equal(index, permutation))
      from[dim] = i;
    return from;
  });
}

Constant evaluateBroadcast(const Constant &x, llvm::ArrayRef<int64_t> shape) {
  return rearrange(x, shape, [&](const Index &index) {
    llvm::ArrayRef<int64_t> all(index);
    Index from(all.take_back(x.shape.size()));
    for (auto [i, size] : llvm::zip_equal(from, x.shape))
      i = size == 1 ? 0 : i;
    return from;
  });
}

Constant evaluateSlice(const Constant &x, int64_t axis, int64_t start, int64_t stride,
                       int64_t count) {
  llvm::SmallVector<int64_t> shape = x.shape;
  shape[axis] = count;
  return rearrange(x, shape, [&](Index index) {
    index[axis] = start + index[axis] * stride;
    return index;
  });
}

Constant evaluateConcat(llvm::ArrayRef<const Constant *> pieces, int64_t axis) {
  llvm::SmallVector<int64_t> shape = pieces.front()->shape;
  for (const Constant *piece : pieces.drop_front())
    shape[axis] += piece->shape[axis];
  return generate(pieces.front()->elementType, shape, [&](Index index) {
    const Constant *const *piece = pieces.begin();
    for (; index[axis] >= (*piece)->shape[axis]; ++piece)
      index[axis] -= (*piece)->shape[axis];
    return (**piece)[linearise(index, (*piece)->shape)];
  });
}

Constant evaluateGather(const Constant &x, const Constant &indices, int64_t axis) {
  int64_t rank = indices.shape.size();
  llvm::SmallVector<int64_t> shape(llvm::ArrayRef(x.shape).take_front(axis));
  llvm::append_range(shape, indices.shape);
  llvm::append_range(shape, llvm::ArrayRef(x.shape).drop_front(axis + 1));
  return rearrange(x, shape, [&](const Index &index) {
    llvm::ArrayRef<int64_t> all(index);
    int64_t row = linearise(all.slice(axis, rank), indices.shape);
    Index from(all.take_front(axis));
    from.push_back(indices[row].i);
    llvm::append_range(from, all.drop_front(axis + rank));
    return from;
  });
}

std::optional<Constant> evaluateReduce(graph::ReduceOpKind kind, const Constant &x,
                                       llvm::ArrayRef<int64_t> dims) {
  using Kind = graph::ReduceOpKind;
  if (kind == Kind::Mean || x.size() == 0)
    return std::nullopt;
  llvm::StringRef combine = kind == Kind::Sum   ? "graph.add"
                            : kind == Kind::Max ? "graph.max"
                            : kind == Kind::Min ? "graph.min"
                                                : "graph.mul";
  Constant result = x;
  for (int64_t dim : llvm::reverse(dims)) {
    llvm::SmallVector<int64_t> shape = result.shape;
    int64_t count = shape[dim];
    shape.erase(shape.begin() + dim);
    auto row = [&](int64_t i) {
      return evaluateReshape(evaluateSlice(result, dim, i, 1, 1), shape);
    };
    Constant sum = row(0);
    for (int64_t i = 1; i < count; ++i)
      sum = *evaluateBinary(combine, sum, row(i));
    result = std::move(sum);
  }
  return result;
}

} // namespace pcc::import
