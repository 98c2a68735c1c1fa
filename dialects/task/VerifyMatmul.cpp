// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies matmuls. Labels are those of docs/spec/task.md. Sizes and valid combinations of options
// follow the rules of runtime/abi/validate/ValidateMatmul.cpp, which checks instructions; change
// both together.
#include "dialects/task/Task.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace pcc::task;

/// Returns the product of the sizes; nothing if one is below 1 or the product overflows.
static std::optional<int64_t> productOf(ArrayRef<int64_t> sizes) {
  std::optional<int64_t> product = 1;
  for (int64_t size : sizes)
    product = product && size >= 1 ? llvm::checkedMul(*product, size) : std::nullopt;
  return product;
}

static Type elementOf(Value buffer) { return cast<ShapedType>(buffer.getType()).getElementType(); }

// T7: sizes are at least 1, and every operand has as many elements as they say. Buffers other than
// the factors have the result's type.
static LogicalResult verifySizes(MatmulOp op) {
  int64_t batch = op.getBatch(), m = op.getM(), n = op.getN(), k = op.getK();
  struct Row {
    Value buffer;
    StringRef name;
    SmallVector<int64_t, 3> sizes;
    bool isFactor = false;
  };
  const Row rows[] = {{op.getA(), "a", {batch, m, k}, true},
                      {op.getB(), "b", {op.getSharedB() ? 1 : batch, k, n}, true},
                      {op.getC(), "c", {batch, m, n}},
                      {op.getBias(), "bias", {n}},
                      {op.getPreActivation(), "pre_activation", {batch, m, n}},
                      {op.getSumOfA(), "sum_of_a", {m}},
                      {op.getSumOfB(), "sum_of_b", {n}}};
  Type result = elementOf(op.getC());
  for (const Row &row : rows) {
    if (!row.buffer)
      continue;
    int64_t elements = cast<ShapedType>(row.buffer.getType()).getNumElements();
    if (elements != productOf(row.sizes))
      return op.emitOpError() << "expected \"" << row.name << "\" of [" << row.sizes
                              << "] elements, got " << elements;
    if (!row.isFactor && elementOf(row.buffer) != result)
      return op.emitOpError() << "expected \"" << row.name << "\" of the type of \"c\", " << result
                              << ", got " << elementOf(row.buffer);
  }
  return success();
}

// T19: the operand of the activation, and sums of operands.
static LogicalResult verifyExtras(MatmulOp op) {
  bool overwrites = op.getAccumulation() == Accumulation::Overwrite;
  Activation activation = op.getActivation();
  bool isGradient = activation == Activation::GeluGradient;
  if (isGradient && (!op.getPreActivation() || op.getBias() || !overwrites))
    return op.emitOpError(
        "expected a gradient of gelu to have \"pre_activation\", and neither a bias nor an "
        "accumulation");
  if (op.getPreActivation() && !isGradient && (activation != Activation::Gelu || !overwrites))
    return op.emitOpError(
        "expected \"pre_activation\" beside gelu or its gradient, without accumulation");
  bool hasSum = op.getSumOfA() || op.getSumOfB();
  bool isPlain = activation == Activation::None && !op.getBias();
  if (hasSum && ((op.getSumOfA() && op.getSumOfB()) || !isPlain || op.getSharedB()))
    return op.emitOpError("expected one sum of an operand, of a matmul without bias, activation "
                          "and shared operand");
  return success();
}

LogicalResult MatmulOp::verify() {
  return failure(failed(verifySizes(*this)) || failed(verifyExtras(*this)));
}
