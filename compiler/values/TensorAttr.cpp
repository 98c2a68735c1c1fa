// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Literals are converted through APFloat and APInt, resources and file data from little-endian
// bytes. Booleans always become literals.
#include "compiler/values/TensorAttr.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace mlir;

namespace pcc::values {
namespace {

double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

double decodeFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::F64)
    return llvm::bit_cast<double>(bits);
  if (type == ElementType::F32)
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  const llvm::fltSemantics &semantics =
      type == ElementType::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
  return toDouble(llvm::APFloat(semantics, llvm::APInt(16, bits)));
}

Element decode(ElementType type, uint64_t bits) {
  if (isFloat(type))
    return {.f = decodeFloat(type, bits)};
  if (type == ElementType::I1)
    return {.i = bits != 0};
  return {.i = wrapTo(type, static_cast<int64_t>(bits))};
}

Element elementOf(ElementType type, const APInt &value) {
  return {.i = wrapTo(type, value.getSExtValue())};
}

std::optional<ElementType> integerTypeOf(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 64:
    return isUnsigned ? ElementType::UI64 : ElementType::I64;
  case 32:
    return isUnsigned ? ElementType::UI32 : ElementType::I32;
  case 16:
    return isUnsigned ? ElementType::UI16 : ElementType::I16;
  case 8:
    return isUnsigned ? ElementType::UI8 : ElementType::I8;
  case 1:
    return ElementType::I1;
  default:
    return std::nullopt;
  }
}

Tensor tensorOfLiteral(ElementType type, DenseElementsAttr attr) {
  Tensor result(type, attr.getType().getShape());
  llvm::MutableArrayRef<Element> elements = result.mutableElements();
  if (attr.isSplat()) {
    Element element = isFloat(type) ? Element{.f = toDouble(attr.getSplatValue<llvm::APFloat>())}
                                    : elementOf(type, attr.getSplatValue<APInt>());
    llvm::fill(elements, element);
  } else if (isFloat(type)) {
    for (auto [element, value] : llvm::zip_equal(elements, attr.getValues<llvm::APFloat>()))
      element.f = toDouble(value);
  } else {
    for (auto [element, value] : llvm::zip_equal(elements, attr.getValues<APInt>()))
      element = elementOf(type, value);
  }
  return result;
}

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

ElementsAttr encodeLiteral(RankedTensorType type, const Tensor &elements) {
  Type elementType = type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return DenseElementsAttr::get(
        type, llvm::map_to_vector(elements.elements(),
                                  [&](Element value) { return toAPFloat(floatType, value.f); }));
  unsigned width = elementType.getIntOrFloatBitWidth();
  return DenseElementsAttr::get(type, llvm::map_to_vector(elements.elements(), [&](Element value) {
                                  return llvm::APInt(width, value.i, /*isSigned=*/true,
                                                     /*implicitTrunc=*/true);
                                }));
}

ElementsAttr encodeResource(RankedTensorType type, const Tensor &elements, StringRef name) {
  int64_t width = byteWidth(elements.getType());
  std::vector<char> bytes;
  bytes.reserve(elements.size() * width);
  for (Element value : elements.elements()) {
    char buffer[8];
    llvm::support::endian::write64le(buffer, encode(type.getElementType(), value));
    bytes.insert(bytes.end(), buffer, buffer + width);
  }
  // Equal constants of many compilations in one context share a resource, which lives as long as
  // the context.
  std::string key = (name + "_" +
                     llvm::utohexstr(llvm::xxh3_64bits(
                         llvm::arrayRefFromStringRef(StringRef(bytes.data(), bytes.size())))))
                        .str();
  auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
  auto *entry = manager.getBlobManager().lookup(key);
  if (entry && entry->getBlob() && entry->getBlob()->getData() == ArrayRef<char>(bytes))
    return DenseResourceElementsAttr::get(
        type, DenseResourceElementsHandle(entry, cast<BuiltinDialect>(manager.getDialect())));
  return DenseResourceElementsAttr::get(
      type, key, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64));
}

} // namespace

std::optional<ElementType> elementTypeOf(Type type) {
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Case([](IntegerType integer) { return integerTypeOf(integer); })
      .Default([](Type) { return std::nullopt; });
}

Tensor zerosOf(RankedTensorType type) {
  return Tensor(*elementTypeOf(type.getElementType()), type.getShape());
}

bool hasType(const Tensor &tensor, RankedTensorType type) {
  return tensor.hasValue() && elementTypeOf(type.getElementType()) == tensor.getType() &&
         tensor.getShape() == type.getShape();
}

std::optional<Tensor> tensorOf(ElementsAttr attr) {
  std::optional<ElementType> type = elementTypeOf(attr.getElementType());
  if (!type)
    return std::nullopt;
  if (auto literal = dyn_cast<DenseElementsAttr>(attr))
    return tensorOfLiteral(*type, literal);
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  return tensorOfBytes(*type, attr.getShapedType().getShape(), blob->getData());
}

std::optional<Tensor> tensorOfBytes(ElementType type, llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<char> bytes) {
  int64_t width = byteWidth(type);
  Tensor result(type, shape);
  if (static_cast<int64_t>(bytes.size()) != result.size() * width)
    return std::nullopt;
  for (Element &element : result.mutableElements()) {
    char buffer[8] = {};
    std::memcpy(buffer, bytes.data(), width);
    element = decode(type, llvm::support::endian::read64le(buffer));
    bytes = bytes.drop_front(width);
  }
  return result;
}

ElementsAttr attrOf(RankedTensorType type, const Tensor &elements, StringRef name) {
  bool isLiteral = elements.size() == 1 || type.getElementType().isInteger(1) ||
                   elements.size() <= maxLiteralElements;
  return isLiteral ? encodeLiteral(type, elements) : encodeResource(type, elements, name);
}

} // namespace pcc::values
