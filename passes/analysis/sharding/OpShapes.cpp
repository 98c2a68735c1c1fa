// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides each dimension by the product of its factors' counts.
#include "passes/analysis/sharding/OpShapes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "passes/analysis/sharding/LegalStrategies.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::analysis {

static Shape shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Shape(tensor.getShape()) : Shape{0};
}

OpShapes OpShapes::of(Operation *op) {
  OpShapes shapes;
  for (Type type : op->getOperandTypes())
    shapes.operands.push_back(shapeOf(type));
  for (Type type : op->getResultTypes())
    shapes.results.push_back(shapeOf(type));
  return shapes;
}

static void divide(MutableArrayRef<Shape> shapes, ArrayRef<TensorFactors> tensors,
                   ArrayRef<int64_t> counts) {
  for (auto [shape, dims] : llvm::zip_equal(shapes, tensors))
    for (auto [size, parts] : llvm::zip_equal(shape, projectCounts(dims, counts)))
      size /= parts;
}

OpShapes OpShapes::split(Operation *op, const FactorRule &rule, ArrayRef<int64_t> counts) {
  OpShapes shapes = of(op);
  divide(shapes.operands, rule.getOperands(), counts);
  divide(shapes.results, rule.getResults(), counts);
  return shapes;
}

int64_t countElements(ArrayRef<int64_t> shape) { return llvm::product_of(shape); }

} // namespace pcc::analysis
