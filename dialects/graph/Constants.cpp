// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and cuts constants that are splats, dense literals or resources. A splat is cut without
// expanding it. Elements of one bit need cases of their own: a literal packs them, a resource holds
// a byte for each.
#include "dialects/graph/Constants.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace pcc::graph;

DenseElementsAttr pcc::graph::splatAttr(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(type, Attribute(FloatAttr::get(element, value)));
  if (element.isInteger(1))
    return DenseElementsAttr::get(type, value != 0);
  APSInt number(element.getIntOrFloatBitWidth(), element.isUnsignedInteger());
  bool isExact;
  APFloat(value).convertToInteger(number, APFloat::rmTowardZero, &isExact);
  return DenseElementsAttr::get(type, APInt(number));
}

static double toNumber(APFloat number) {
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// Converts an integer of an element type.
static double toNumber(const APInt &number, Type element) {
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return number.roundToDouble(/*isSigned=*/!isUnsigned);
}

std::optional<double> pcc::graph::getSplat(Attribute attribute) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(attribute);
  if (!splat)
    return std::nullopt;
  if (isa<FloatType>(splat.getElementType()))
    return toNumber(splat.getSplatValue<APFloat>());
  return toNumber(splat.getSplatValue<APInt>(), splat.getElementType());
}

std::optional<double> pcc::graph::getSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? getSplat(constant.getValue()) : std::nullopt;
}

/// Returns the first of `count` parts of each of `blocks` consecutive blocks of `elements`. Returns
/// an empty list if `parts` requires equal parts and they differ.
template <typename T>
static SmallVector<T> cutBlocks(ArrayRef<T> elements, size_t blocks, int64_t count, Parts parts) {
  size_t part = elements.size() / (blocks * count);
  SmallVector<T> first;
  for (size_t block = 0; block < blocks; ++block) {
    ArrayRef<T> all = elements.slice(block * count * part, count * part);
    for (int64_t other = 1; parts == Parts::Equal && other < count; ++other)
      if (all.slice(other * part, part) != all.take_front(part))
        return {};
    llvm::append_range(first, all.take_front(part));
  }
  return first;
}

ElementsAttr pcc::graph::cutFirstPart(ElementsAttr value, unsigned dim, int64_t count,
                                      int64_t outer, Parts parts) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= count;
  RankedTensorType cut = type.clone(shape);
  size_t blocks = llvm::product_of(ArrayRef(shape).take_front(dim)) * outer;
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    return splat.resizeSplat(cut);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  // Elements of one bit may be packed.
  if (dense && type.getElementType().isInteger(1)) {
    auto elements = llvm::to_vector(dense.getValues<bool>());
    SmallVector<bool> first = cutBlocks(ArrayRef<bool>(elements), blocks, count, parts);
    return first.empty() ? ElementsAttr() : DenseElementsAttr::get(cut, first);
  }
  ArrayRef<char> bytes;
  if (dense)
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value);
           resource && resource.getRawHandle().getBlob())
    bytes = resource.getRawHandle().getBlob()->getData();
  size_t size = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (bytes.empty() || bytes.size() != size * type.getNumElements())
    return {};
  SmallVector<char> first = cutBlocks(bytes, blocks, count, parts);
  if (first.empty())
    return {};
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(cut, first);
  // A resource holds one byte for each bit.
  return DenseElementsAttr::get(cut,
                                llvm::map_to_vector(first, [](char byte) { return byte != 0; }));
}

bool pcc::graph::holdsIndices(Type type, int64_t size) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width >= 64 || size <= int64_t(1) << (width - 1);
}

/// Decodes an element of a resource from little-endian bytes; nothing for another element type.
static std::optional<double> decodeElement(Type element, const char *bytes) {
  uint64_t bits = 0;
  size_t width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (size_t byte = width; byte-- > 0;)
    bits = bits << 8 | static_cast<unsigned char>(bytes[byte]);
  if (element.isInteger(1))
    return double(bits);
  if (isa<IntegerType>(element))
    return toNumber(APInt(8 * width, bits), element);
  if (element.isF32())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (element.isF64())
    return llvm::bit_cast<double>(bits);
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() <= 64)
    return toNumber(APFloat(type.getFloatSemantics(), APInt(type.getWidth(), bits)));
  return std::nullopt;
}

/// The upper half of a float.
struct BFloat16 {
  uint16_t bits;
  explicit operator double() const { return llvm::bit_cast<float>(uint32_t(bits) << 16); }
};

/// Decodes all numbers of type `T` from bytes in the order of this machine.
template <typename T> static SmallVector<double> decodeAll(ArrayRef<char> bytes) {
  SmallVector<double> numbers(bytes.size() / sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    T number;
    std::memcpy(&number, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = double(number);
  }
  return numbers;
}

static std::optional<SmallVector<double>> readResource(DenseResourceElementsAttr resource) {
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  Type element = resource.getElementType();
  size_t width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  if (!blob || blob->getData().size() != width * resource.getNumElements())
    return std::nullopt;
  // Masks and positions of large models are of these types. A resource is little-endian.
  constexpr bool isLittle = llvm::endianness::native == llvm::endianness::little;
  if (isLittle && element.isF32())
    return decodeAll<float>(blob->getData());
  if (isLittle && element.isBF16())
    return decodeAll<BFloat16>(blob->getData());
  if (element.isInteger(1))
    return decodeAll<uint8_t>(blob->getData());
  if (isLittle && element.isSignlessInteger(64))
    return decodeAll<int64_t>(blob->getData());
  SmallVector<double> numbers;
  numbers.reserve(resource.getNumElements());
  for (ArrayRef<char> bytes = blob->getData(); !bytes.empty(); bytes = bytes.drop_front(width)) {
    std::optional<double> number = decodeElement(element, bytes.data());
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<SmallVector<double>> pcc::graph::readElements(Attribute attribute) {
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(attribute))
    return readResource(resource);
  auto dense = dyn_cast_if_present<DenseElementsAttr>(attribute);
  if (!dense)
    return std::nullopt;
  Type element = dense.getElementType();
  auto toDouble = [](auto number) { return double(number); };
  if (element.isF32())
    return llvm::map_to_vector(dense.getValues<float>(), toDouble);
  if (element.isBF16() && !dense.isSplat())
    return decodeAll<BFloat16>(dense.getRawData());
  if (element.isInteger(1))
    return llvm::map_to_vector(dense.getValues<bool>(), toDouble);
  if (element.isSignlessInteger(64))
    return llvm::map_to_vector(dense.getValues<int64_t>(), toDouble);
  if (isa<FloatType>(element))
    return llvm::map_to_vector(dense.getValues<APFloat>(),
                               [](const APFloat &number) { return toNumber(number); });
  return llvm::map_to_vector(dense.getValues<APInt>(), [&](const APInt &number) {
    return toNumber(number, dense.getElementType());
  });
}

void ConstantOp::build(OpBuilder &, OperationState &state, RankedTensorType type, double value) {
  state.addTypes(type);
  state.getOrAddProperties<Properties>().value = splatAttr(type, value);
}
