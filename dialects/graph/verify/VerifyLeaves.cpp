// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of leaves, clamp and rng_uniform; labels as in docs/spec/graph.md.
#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/verify/Checks.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

/// Checks for a dense value, or for a dense resource whose bytes are the elements of its type.
/// Accepts a resource without bytes, because a dump leaves them out.
static LogicalResult checkElementsAttr(Operation *op, ElementsAttr value) {
  if (isa<DenseElementsAttr>(value))
    return success();
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return op->emitOpError() << "expected a dense value or a dense resource";
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return success();
  ShapedType type = value.getShapedType();
  int64_t bytes = type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
  if (int64_t(blob->getData().size()) != bytes)
    return op->emitOpError() << "expected " << bytes << " bytes in resource '"
                             << resource.getRawHandle().getKey() << "', got "
                             << blob->getData().size();
  return success();
}

LogicalResult ParameterOp::verify() {
  if (failed(verifyParameterPart(*this))) // C6, C7
    return failure();
  RankedTensorType type = getTensorType();
  InitKind kind = getInit().getKind();
  bool random = kind == InitKind::Uniform || kind == InitKind::Normal;
  if (random && !isa<FloatType>(type.getElementType())) // C1
    return emitOpError() << "expected floating-point elements for '" << stringifyInitKind(kind)
                         << "', got " << type.getElementType();
  bool fromFile = kind == InitKind::File;
  if (fromFile != getValue().has_value()) // C2
    return emitOpError() << (fromFile ? "expected 'value' beside 'file'"
                                      : "expected no 'value' unless the initializer is 'file'");
  if (!fromFile)
    return success();
  if (getValue()->getShapedType() != type) // C3
    return emitOpError() << "expected 'value' of type " << type << ", got "
                         << getValue()->getShapedType();
  return checkElementsAttr(*this, *getValue()); // C4, C5
}

LogicalResult ConstantOp::verify() { return checkElementsAttr(*this, getValue()); } // C2, C3

LogicalResult IotaOp::verify() {
  return checkAxis(reporterOf(*this), getAxis(), getResult().getType().getRank()); // C1
}

LogicalResult RngUniformOp::verify() {
  return checkShape(reporterOf(*this), "result", getIndex().getType().getShape(),
                    getResult().getType().getShape()); // C1
}

LogicalResult ClampOp::verify() {
  double low = getLow().convertToDouble(), high = getHigh().convertToDouble();
  if (!(low <= high)) // C1
    return emitOpError() << "expected 'low' not above 'high', got " << low << " and " << high;
  Type element = getResult().getType().getElementType();
  if (isa<FloatType>(element))
    return success();
  // Integers are in [begin, end).
  bool isUnsigned = element.isUnsignedInteger();
  double end = std::ldexp(1.0, int(element.getIntOrFloatBitWidth()) - (isUnsigned ? 0 : 1));
  double begin = isUnsigned ? 0.0 : -end;
  double least = std::max(std::ceil(low), begin);
  if (least > std::floor(high) || least >= end) // C2
    return emitOpError() << "expected one of " << element << " between 'low' and 'high', got "
                         << low << " and " << high;
  return success();
}
