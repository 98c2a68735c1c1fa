// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/graph/Constants.h"

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

void ConstantOp::build(OpBuilder &, OperationState &state, RankedTensorType type, double value) {
  state.addTypes(type);
  state.getOrAddProperties<Properties>().value = splatAttr(type, value);
}
