// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Constant.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

/// Longer tensors become resources: a module's text stays short.
constexpr int64_t longestLiteral = 16;

llvm::APFloat toAPFloat(FloatType type, double value) {
  llvm::APFloat result(value);
  bool losesInfo = false;
  result.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

/// The nearest 64-bit integer towards zero; NaN is 0.
int64_t truncate(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

unsigned byteWidth(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

Scalar decode(Type elementType, uint64_t bits) {
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    llvm::APFloat value(floatType.getFloatSemantics(), llvm::APInt(width, bits));
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return {.f = value.convertToDouble()};
  }
  if (elementType.isInteger(1))
    return {.i = bits != 0};
  return roundTo(elementType, {.i = static_cast<int64_t>(bits)});
}

uint64_t encode(Type elementType, Scalar value) {
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return toAPFloat(floatType, value.f).bitcastToAPInt().getZExtValue();
  return static_cast<uint64_t>(value.i);
}

ElementsAttr encodeLiteral(RankedTensorType type, const Constant &constant) {
  if (auto floatType = dyn_cast<FloatType>(constant.elementType)) {
    auto values = llvm::map_to_vector(constant.values,
                                      [&](Scalar value) { return toAPFloat(floatType, value.f); });
    return DenseElementsAttr::get(type, values);
  }
  unsigned width = constant.elementType.getIntOrFloatBitWidth();
  auto values = llvm::map_to_vector(constant.values, [&](Scalar value) {
    return llvm::APInt(width, value.i, /*isSigned=*/true, /*implicitTrunc=*/true);
  });
  return DenseElementsAttr::get(type, values);
}

ElementsAttr encodeResource(RankedTensorType type, const Constant &constant, llvm::StringRef name) {
  unsigned width = byteWidth(constant.elementType);
  std::vector<char> bytes;
  bytes.reserve(constant.values.size() * width);
  for (Scalar value : constant.values) {
    char buffer[8];
    llvm::support::endian::write64le(buffer, encode(constant.elementType, value));
    bytes.insert(bytes.end(), buffer, buffer + width);
  }
  return DenseResourceElementsAttr::get(
      type, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64));
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

Constant Constant::splat(Type elementType, llvm::ArrayRef<int64_t> shape, Scalar value) {
  Constant constant{elementType, llvm::to_vector(shape), {}};
  if (constant.size() > 0)
    constant.values.push_back(value);
  return constant;
}

Constant Constant::integers(MLIRContext *context, llvm::ArrayRef<int64_t> values) {
  Constant constant{IntegerType::get(context, 64), {static_cast<int64_t>(values.size())}, {}};
  for (int64_t value : values)
    constant.values.push_back({.i = value});
  return constant;
}

Scalar roundTo(Type elementType, Scalar value) {
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    llvm::APFloat rounded = toAPFloat(floatType, value.f);
    bool losesInfo = false;
    rounded.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return {.f = rounded.convertToDouble()};
  }
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width >= 64)
    return value;
  if (width == 1 || elementType.isUnsignedInteger())
    return {.i = value.i & static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(width))};
  return {.i = llvm::SignExtend64(static_cast<uint64_t>(value.i), width)};
}

Scalar convert(Scalar value, Type from, Type to) {
  bool fromFloat = isa<FloatType>(from);
  if (to.isInteger(1))
    return {.i = fromFloat ? value.f != 0.0 : value.i != 0};
  if (isa<FloatType>(to)) {
    if (!fromFloat)
      value.f = static_cast<double>(value.i);
  } else if (fromFloat) {
    value.i = truncate(value.f);
  }
  return roundTo(to, value);
}

Constant decodeConstant(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  Constant constant{type.getElementType(), llvm::to_vector(type.getShape()), {}};
  unsigned width = byteWidth(type.getElementType());
  constant.values.reserve(bytes.size() / width);
  for (; !bytes.empty(); bytes = bytes.drop_front(width)) {
    char buffer[8] = {};
    std::memcpy(buffer, bytes.data(), width);
    constant.values.push_back(
        decode(type.getElementType(), llvm::support::endian::read64le(buffer)));
  }
  return constant;
}

ElementsAttr encodeConstant(const Constant &constant, llvm::StringRef name) {
  auto type = RankedTensorType::get(constant.shape, constant.elementType);
  bool isLiteral =
      constant.isSplat() || constant.elementType.isInteger(1) || constant.size() <= longestLiteral;
  return isLiteral ? encodeLiteral(type, constant) : encodeResource(type, constant, name);
}

} // namespace pcc::import
