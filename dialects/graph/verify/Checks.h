// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that verifiers and shape inference share. Inference may have no location; it then fails
// without a message. Messages start with the op's name, as emitOpError writes it.
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/TypeUtilities.h"

namespace pcc::graph {

/// Reports errors of an op at a location.
struct Reporter {
  std::optional<mlir::Location> location;
  llvm::StringRef opName;

  template <typename... Args> mlir::LogicalResult error(Args &&...args) const {
    return mlir::emitOptionalError(location, "'", opName, "' op ", std::forward<Args>(args)...);
  }
};

inline Reporter reporterOf(mlir::Operation *op) {
  return {op->getLoc(), op->getName().getStringRef()};
}

/// Returns the type as a ranked tensor; inference runs before operand types are verified.
inline mlir::FailureOr<mlir::RankedTensorType> asTensor(const Reporter &report, mlir::Type type) {
  if (hasGraphShape(type) && mlir::getElementTypeOrSelf(type).isIntOrFloat())
    return llvm::cast<mlir::RankedTensorType>(type);
  return report.error("expected a tensor of numbers with static sizes of at least 1, got ", type);
}

/// Checks that `axis` is in [0, rank).
inline mlir::LogicalResult checkAxis(const Reporter &report, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return mlir::success();
  return report.error("expected 'axis' in [0, ", rank, "), got ", axis);
}

/// Checks that a number of an attribute, if it is given, is one of the integers of a tensor.
inline mlir::LogicalResult checkRange(const Reporter &report, llvm::StringRef name,
                                      mlir::IntegerAttr number, mlir::RankedTensorType integers) {
  if (!number || llvm::isIntN(integers.getElementTypeBitWidth(), number.getInt()))
    return mlir::success();
  return report.error("expected '", name, "' to be one of ", integers.getElementType(), ", got ",
                      number.getInt());
}

/// Checks that two values, named in the message, have equal element types.
inline mlir::LogicalResult checkElements(const Reporter &report, llvm::StringRef leftName,
                                         mlir::ShapedType left, llvm::StringRef rightName,
                                         mlir::ShapedType right) {
  if (left.getElementType() == right.getElementType())
    return mlir::success();
  return report.error("expected equal element types, got ", left.getElementType(), " in '",
                      leftName, "' and ", right.getElementType(), " in '", rightName, "'");
}

/// Checks that a value has exactly the expected shape.
inline mlir::LogicalResult checkShape(const Reporter &report, llvm::StringRef name,
                                      llvm::ArrayRef<int64_t> expected,
                                      llvm::ArrayRef<int64_t> got) {
  if (expected == got)
    return mlir::success();
  auto text = [](llvm::ArrayRef<int64_t> shape) {
    std::string result = "[";
    for (auto [index, size] : llvm::enumerate(shape))
      result += (index ? ", " : "") + std::to_string(size);
    return result + "]";
  };
  return report.error("expected '", name, "' of shape ", text(expected), ", got ", text(got));
}

/// Returns an attribute as inference sees it: while an op is parsed, the entries of its attribute
/// dictionary are not properties yet.
template <typename Attr, typename Adaptor>
Attr getAttr(Adaptor adaptor, Attr property, llvm::StringRef name) {
  mlir::DictionaryAttr parsed = adaptor.getAttributes();
  return property || !parsed ? property : parsed.getAs<Attr>(name);
}

/// Checks that two shapes have equal rank and agree everywhere but along `axis` (C-labels at the
/// callers).
mlir::LogicalResult checkSameButAxis(const Reporter &report, llvm::StringRef leftName,
                                     llvm::ArrayRef<int64_t> left, llvm::StringRef rightName,
                                     llvm::ArrayRef<int64_t> right, int64_t axis);

} // namespace pcc::graph
