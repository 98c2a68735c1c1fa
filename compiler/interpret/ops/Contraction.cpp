// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/Scalars.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/EinsumEquation.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Returns `x` with its last two dimensions exchanged.
Tensor transposeMatrices(const Tensor &x) {
  int64_t rows = x.getShape().end()[-2], columns = x.getShape().end()[-1];
  llvm::SmallVector<int64_t, 4> shape(x.getShape());
  std::swap(shape.end()[-2], shape.end()[-1]);
  Tensor result(x.getType(), shape);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  llvm::ArrayRef<Element> in = x.elements();
  for (int64_t start = 0; start < x.size(); start += rows * columns)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        out[start + c * rows + r] = in[start + r * columns + c];
  return result;
}

/// Computes c += a · b for one batch index; the innermost loop runs along rows of b and c.
template <typename T>
void multiplyMatrices(const T *a, const T *b, T *c, int64_t rows, int64_t inner, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < inner; ++k) {
      T factor = a[r * inner + k];
      for (int64_t j = 0; j < columns; ++j)
        c[r * columns + j] = add(c[r * columns + j], multiply(factor, b[k * columns + j]));
    }
}

Tensor matmul(graph::MatmulOp op, llvm::ArrayRef<Tensor> in) {
  Tensor a = op.getTransposeLhs() ? transposeMatrices(in[0]) : in[0];
  Tensor b = op.getTransposeRhs() ? transposeMatrices(in[1]) : in[1];
  Tensor c = zerosOf(op.getType());
  int64_t rows = a.getShape().end()[-2], inner = a.getShape().end()[-1];
  int64_t columns = b.getShape().end()[-1];
  Element *out = c.mutableElements().data();
  const Element *lhs = a.elements().data(), *rhs = b.elements().data();
  int64_t batches = sizeOf(c.getShape().drop_back(2));
  for (int64_t n = 0; n < batches; ++n) {
    if (c.isFloat())
      multiplyMatrices(&lhs[n * rows * inner].f, &rhs[n * inner * columns].f,
                       &out[n * rows * columns].f, rows, inner, columns);
    else
      multiplyMatrices(&lhs[n * rows * inner].i, &rhs[n * inner * columns].i,
                       &out[n * rows * columns].i, rows, inner, columns);
  }
  return c;
}

/// Returns the distance of neighbors in each of the dimensions `all`, in a tensor with dimensions
/// `letters`; 0 for dimensions that the tensor lacks.
llvm::SmallVector<int64_t, 4> stridesOver(llvm::StringRef all, llvm::StringRef letters,
                                          llvm::ArrayRef<int64_t> shape) {
  auto strides = rowMajorStrides(shape);
  llvm::SmallVector<int64_t, 4> result;
  for (char letter : all) {
    size_t dim = letters.find(letter);
    result.push_back(dim == llvm::StringRef::npos ? 0 : strides[dim]);
  }
  return result;
}

/// Multiplies one pair of elements for every index of all letters, and adds it to the result's
/// element.
Tensor einsum(graph::EinsumOp op, llvm::ArrayRef<Tensor> in) {
  auto equation = *graph::EinsumEquation::parse(op.getEquation());
  Tensor result = zerosOf(op.getType());
  std::string all = equation.lhs.str();
  llvm::SmallVector<int64_t, 4> sizes(in[0].getShape());
  for (auto [letter, size] : llvm::zip_equal(equation.rhs, in[1].getShape()))
    if (!equation.lhs.contains(letter)) {
      all += letter;
      sizes.push_back(size);
    }
  auto left = stridesOver(all, equation.lhs, in[0].getShape());
  auto right = stridesOver(all, equation.rhs, in[1].getShape());
  auto out = stridesOver(all, equation.result, result.getShape());
  // The last letter has a loop of its own, so that each index is flattened once per loop.
  int64_t inner = sizes.empty() ? 1 : sizes.pop_back_val();
  auto stepOf = [&](auto &strides) { return all.empty() ? 0 : strides.pop_back_val(); };
  int64_t leftStep = stepOf(left), rightStep = stepOf(right), outStep = stepOf(out);
  Element *elements = result.mutableElements().data();
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    const Element *a = in[0].elements().data() + flatten(index, left);
    const Element *b = in[1].elements().data() + flatten(index, right);
    Element *sum = elements + flatten(index, out);
    for (int64_t i = 0; i < inner; ++i, a += leftStep, b += rightStep, sum += outStep)
      *sum = result.isFloat() ? Element{.f = add(sum->f, multiply(a->f, b->f))}
                              : Element{.i = add(sum->i, multiply(a->i, b->i))};
  });
  return result;
}

} // namespace

void registerContraction(Registry &registry) {
  registry.add<graph::MatmulOp>(matmul);
  registry.add<graph::EinsumOp>(einsum);
}

} // namespace pcc::interpret
