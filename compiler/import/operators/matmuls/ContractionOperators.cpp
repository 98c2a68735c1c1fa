// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of Gemm and MatMul. Both emit one matmul. Scales, the added term and dimensions added to
// vectors become ops around it.
#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Multiplies `x` by `factor`, unless it is one.
Tensor scale(Emitter &emit, const Tensor &x, double factor) {
  return !x || factor == 1.0 ? x : emit.binary<graph::MulOp>(x, emit.scalarLike(x, factor));
}

/// Imports Gemm: alpha * A * B + beta * C, where A and B may be stored transposed and C broadcasts.
LogicalResult importGemm(Node &node) {
  Emitter &emit = node.emit;
  Tensor a = node.input(0), b = node.input(1), c = node.input(2);
  if (a.rank() != 2 || b.rank() != 2)
    return emit.error() << "expected two matrices, got " << a.type << " and " << b.type;
  bool transposeA = node.integer("transA", 0) != 0, transposeB = node.integer("transB", 0) != 0;
  double alpha = node.number("alpha", 1.0), beta = node.number("beta", 1.0);
  Tensor product = scale(emit, emit.matmul(a, b, transposeA, transposeB), alpha);
  if (product && c)
    product =
        emit.binary<graph::AddOp>(product, emit.broadcast(scale(emit, c, beta), product.shape()));
  return node.setResult(product);
}

/// Imports numpy.matmul: vectors become matrices of one row or column, and the result loses the
/// added dimension.
LogicalResult importMatMul(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), y = node.input(1);
  if (x.rank() == 0 || y.rank() == 0)
    return emit.error() << "expected tensors of at least one dimension, got " << x.type << " and "
                        << y.type;
  bool isRow = x.rank() == 1, isColumn = y.rank() == 1;
  if (isRow)
    x = emit.reshape(x, {1, x.shape()[0]});
  if (isColumn)
    y = emit.reshape(y, {y.shape()[0], 1});
  Tensor product = emit.matmul(x, y);
  if (!product)
    return failure();
  Shape shape(product.shape());
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return node.setResult(emit.reshape(product, shape));
}

} // namespace

llvm::ArrayRef<Operator> contractionOperators() {
  static const Operator rows[] = {
      {"Gemm", 7, 2, 3, AllInputs, importGemm},
      {"MatMul", 1, 2, 2, AllInputs, importMatMul},
  };
  return rows;
}

} // namespace pcc::import
