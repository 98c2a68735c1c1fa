// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/graph/Constants.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace pcc::graph;

DenseElementsAttr pcc::graph::splatAttr(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(type, Attribute(FloatAttr::get(element, value)));
  if (element.isInteger(1))
    return DenseElementsAttr::get(type, value != 0);
  APSInt number(element.getIntOrFloatBitWidth(), /*isUnsigned=*/false);
  bool isExact;
  APFloat(value).convertToInteger(number, APFloat::rmTowardZero, &isExact);
  return DenseElementsAttr::get(type, APInt(number));
}

std::optional<double> pcc::graph::getSplat(Attribute attribute) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(attribute);
  if (!splat)
    return std::nullopt;
  if (isa<FloatType>(splat.getElementType())) {
    APFloat number = splat.getSplatValue<APFloat>();
    bool loses;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return number.convertToDouble();
  }
  APInt number = splat.getSplatValue<APInt>();
  return splat.getElementType().isInteger(1) ? number.getZExtValue() : number.getSExtValue();
}

std::optional<double> pcc::graph::getSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? getSplat(constant.getValue()) : std::nullopt;
}

/// Returns the first part of a row-major tensor of `shape` if its `count` parts along `dim` are
/// equal, else an empty list. `size` elements of the list are one element of the tensor.
template <typename T>
static SmallVector<T> cutRepeated(ArrayRef<T> elements, ArrayRef<int64_t> shape, unsigned dim,
                                  int64_t count, size_t size) {
  size_t rows = llvm::product_of(shape.take_front(dim));
  size_t part = elements.size() / size / (rows * count) * size;
  SmallVector<T> first;
  for (size_t row = 0; row < rows; ++row) {
    ArrayRef<T> parts = elements.slice(row * count * part, count * part);
    for (int64_t other = 1; other < count; ++other)
      if (parts.slice(other * part, part) != parts.take_front(part))
        return {};
    llvm::append_range(first, parts.take_front(part));
  }
  return first;
}

ElementsAttr pcc::graph::cutRepeated(ElementsAttr value, unsigned dim, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= count;
  RankedTensorType cut = type.clone(shape);
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    return splat.resizeSplat(cut);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  // Elements of one bit may be packed.
  if (type.getElementType().isInteger(1)) {
    if (!dense)
      return {};
    auto elements = llvm::to_vector(dense.getValues<bool>());
    SmallVector<bool> first =
        ::cutRepeated(ArrayRef<bool>(elements), type.getShape(), dim, count, /*size=*/1);
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
  SmallVector<char> first = ::cutRepeated(bytes, type.getShape(), dim, count, size);
  return first.empty() ? ElementsAttr() : DenseElementsAttr::getFromRawBuffer(cut, first);
}

void ConstantOp::build(OpBuilder &, OperationState &state, RankedTensorType type, double value) {
  state.addTypes(type);
  state.getOrAddProperties<Properties>().value = splatAttr(type, value);
}
