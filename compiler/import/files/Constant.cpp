// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds splats and ONNX element types to the tensors of compiler/values, which do all arithmetic.
#include "compiler/import/files/Constant.h"

#include "compiler/import/files/NarrowTypes.h"
#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"

using namespace mlir;
using pcc::values::ElementType;

namespace pcc::import {
namespace {

/// Returns the type of elements, which exists for every element type that import reads.
ElementType typeOf(Type elementType) { return *values::elementTypeOf(elementType); }

Constant castScalar(Type elementType, const values::Tensor &value) {
  return Constant::of(RankedTensorType::get({}, elementType),
                      values::computeCast(value, typeOf(elementType)));
}

} // namespace

std::optional<llvm::SmallVector<int64_t>> Constant::asIntegers() const {
  if (isFloat())
    return std::nullopt;
  llvm::SmallVector<int64_t> integers;
  for (int64_t index = 0, end = size(); index < end; ++index)
    integers.push_back((*this)[index].i);
  return integers;
}

std::optional<double> Constant::asNumber() const {
  return size() == 1 ? std::optional(elements.asDouble(0)) : std::nullopt;
}

Constant Constant::of(RankedTensorType type, const values::Tensor &elements) {
  return {type, elements.rounded(values::Precision::Element).reshaped(type.getShape())};
}

Constant Constant::splat(RankedTensorType type, const values::Tensor &element) {
  bool isEmpty = type.getNumElements() == 0;
  return {type, isEmpty ? values::zerosOf(type) : element.reshaped({})};
}

Constant Constant::scalar(Type elementType, double value) {
  return castScalar(elementType, values::Tensor::floats(ElementType::F64, {}, {value}));
}

Constant Constant::scalar(Type elementType, int64_t value) {
  return castScalar(elementType, values::Tensor::integers(ElementType::I64, {}, {value}));
}

Constant Constant::integers(MLIRContext *context, llvm::ArrayRef<int64_t> values) {
  int64_t count = values.size();
  return {RankedTensorType::get({count}, IntegerType::get(context, 64)),
          values::Tensor::integers(ElementType::I64, {count}, values)};
}

Constant decodeConstant(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  ElementType held = typeOf(holderOf(type.getElementType()));
  return {type, *values::tensorOfBytes(held, type.getShape(), bytes)};
}

ElementsAttr encodeConstant(const Constant &constant, llvm::StringRef name) {
  return values::attrOf(constant.type, constant.elements, name);
}

} // namespace pcc::import
