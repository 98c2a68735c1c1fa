// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/files/Constant.h"

#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using pcc::values::ElementType;

namespace pcc::import {
namespace {

/// Maximum elements of a literal; longer tensors become resources, to keep the module's text short.
constexpr int64_t maxLiteralElements = 16;

llvm::APFloat toAPFloat(FloatType type, double value) {
  llvm::APFloat result(value);
  bool losesInfo = false;
  result.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

uint64_t encode(Type elementType, Element value) {
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return toAPFloat(floatType, value.f).bitcastToAPInt().getZExtValue();
  return static_cast<uint64_t>(value.i);
}

ElementsAttr encodeLiteral(const Constant &constant) {
  llvm::ArrayRef<Element> elements = constant.elements.elements();
  Type elementType = constant.type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return DenseElementsAttr::get(constant.type, llvm::map_to_vector(elements, [&](Element value) {
                                    return toAPFloat(floatType, value.f);
                                  }));
  unsigned width = elementType.getIntOrFloatBitWidth();
  return DenseElementsAttr::get(constant.type, llvm::map_to_vector(elements, [&](Element value) {
                                  return llvm::APInt(width, value.i, /*isSigned=*/true,
                                                     /*implicitTrunc=*/true);
                                }));
}

ElementsAttr encodeResource(const Constant &constant, llvm::StringRef name) {
  int64_t width = values::byteWidth(constant.elements.getType());
  std::vector<char> bytes;
  bytes.reserve(constant.elements.size() * width);
  for (Element value : constant.elements.elements()) {
    char buffer[8];
    llvm::support::endian::write64le(buffer, encode(constant.type.getElementType(), value));
    bytes.insert(bytes.end(), buffer, buffer + width);
  }
  return DenseResourceElementsAttr::get(
      constant.type, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64));
}

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
  return {type, *values::tensorOfBytes(typeOf(type.getElementType()), type.getShape(), bytes)};
}

ElementsAttr encodeConstant(const Constant &constant, llvm::StringRef name) {
  bool isLiteral = constant.isSplat() || constant.type.getElementType().isInteger(1) ||
                   constant.size() <= maxLiteralElements;
  return isLiteral ? encodeLiteral(constant) : encodeResource(constant, name);
}

} // namespace pcc::import
