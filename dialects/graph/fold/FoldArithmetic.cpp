// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding of arithmetic: neutral elements, and splats computed at compile time in the element type.
// -0 + 0 folds to -0: the dialect does not promise the sign of a zero.
#include "dialects/graph/Constants.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace pcc::graph;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// Returns the splat of `compute(lhs, rhs)`, or null if an operand is not a splat or `compute`
/// returns nothing.
static Attribute foldSplats(Attribute lhs, Attribute rhs,
                            function_ref<APFloat(APFloat, APFloat)> computeFloat,
                            function_ref<std::optional<APInt>(APInt, APInt)> computeInt) {
  auto left = dyn_cast_if_present<SplatElementsAttr>(lhs);
  auto right = dyn_cast_if_present<SplatElementsAttr>(rhs);
  if (!left || !right)
    return {};
  if (isa<FloatType>(left.getElementType()))
    return DenseElementsAttr::get(left.getType(), computeFloat(left.getSplatValue<APFloat>(),
                                                               right.getSplatValue<APFloat>()));
  std::optional<APInt> number =
      computeInt(left.getSplatValue<APInt>(), right.getSplatValue<APInt>());
  return number ? DenseElementsAttr::get(left.getType(), *number) : Attribute();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (getSplat(adaptor.getRhs()) == 0.0)
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), [](APFloat a, APFloat b) { return a + b; },
      [](APInt a, APInt b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (getSplat(adaptor.getRhs()) == 0.0)
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), [](APFloat a, APFloat b) { return a - b; },
      [](APInt a, APInt b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (getSplat(adaptor.getRhs()) == 1.0)
    return getLhs();
  bool integers = isa<IntegerType>(getResult().getType().getElementType());
  if (integers && getSplat(adaptor.getRhs()) == 0.0)
    return adaptor.getRhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), [](APFloat a, APFloat b) { return a * b; },
      [](APInt a, APInt b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (getSplat(adaptor.getRhs()) == 1.0)
    return getLhs();
  bool isUnsigned = getType().getElementType().isUnsignedInteger();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), [](APFloat a, APFloat b) { return a / b; },
      [isUnsigned](APInt a, APInt b) {
        if (b.isZero())
          return std::optional<APInt>();
        return std::optional(isUnsigned ? a.udiv(b) : a.sdiv(b));
      });
}

/// Returns whether all bits of a splat are `bit`.
static bool isBits(Attribute value, bool bit) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(value);
  if (!splat || !isa<IntegerType>(splat.getElementType()))
    return false;
  APInt bits = splat.getSplatValue<APInt>();
  return bit ? bits.isAllOnes() : bits.isZero();
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isBits(adaptor.getRhs(), true))
    return getLhs();
  return isBits(adaptor.getRhs(), false) ? adaptor.getRhs() : Attribute();
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isBits(adaptor.getRhs(), false))
    return getLhs();
  return isBits(adaptor.getRhs(), true) ? adaptor.getRhs() : Attribute();
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  return foldSplats(
      adaptor.getInput(), adaptor.getInput(), [](APFloat a, APFloat) { return neg(a); },
      [](APInt a, APInt) { return -a; });
}

/// Converts one number as `cast` does; null if the result is undefined.
static Attribute castNumber(APFloat number, Type to) {
  if (to.isInteger(1))
    return IntegerAttr::get(to, !number.isZero());
  if (auto type = dyn_cast<FloatType>(to)) {
    bool loses;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return FloatAttr::get(to, number);
  }
  APSInt integer(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
  bool exact;
  if (number.convertToInteger(integer, APFloat::rmTowardZero, &exact) & APFloat::opInvalidOp)
    return {};
  return IntegerAttr::get(to, integer);
}

static Attribute castNumber(APInt number, Type from, Type to) {
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (to.isInteger(1))
    return IntegerAttr::get(to, !number.isZero());
  if (auto type = dyn_cast<FloatType>(to)) {
    APFloat value(type.getFloatSemantics());
    value.convertFromAPInt(number, /*IsSigned=*/!isUnsigned, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(to, value);
  }
  unsigned width = to.getIntOrFloatBitWidth();
  return IntegerAttr::get(to, isUnsigned ? number.zextOrTrunc(width) : number.sextOrTrunc(width));
}

/// Returns whether a cast to `wide` and back keeps every number of `narrow`.
static bool widens(Type narrow, Type wide) {
  bool sameFamily = isa<FloatType>(narrow) == isa<FloatType>(wide);
  return sameFamily && narrow.getIntOrFloatBitWidth() < wide.getIntOrFloatBitWidth();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  if (from == to)
    return getInput();
  auto inner = getInput().getDefiningOp<CastOp>();
  if (inner && inner.getInput().getType() == to &&
      widens(to.getElementType(), from.getElementType()))
    return inner.getInput();
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getInput());
  if (!splat)
    return {};
  Attribute number =
      isa<FloatType>(from.getElementType())
          ? castNumber(splat.getSplatValue<APFloat>(), to.getElementType())
          : castNumber(splat.getSplatValue<APInt>(), from.getElementType(), to.getElementType());
  return number ? DenseElementsAttr::get(to, number) : Attribute();
}
