// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the dialect's attributes.
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;
using namespace pcc::graph;

/// Returns how many numbers follow each kind of initializer.
static size_t numInitArguments(InitKind kind) {
  switch (kind) {
  case InitKind::Zeros:
  case InitKind::Ones:
  case InitKind::File:
    return 0;
  case InitKind::Constant:
    return 1;
  case InitKind::Uniform:
  case InitKind::Normal:
    return 2;
  }
  llvm_unreachable("every kind is listed");
}

LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError, InitKind kind,
                               DenseF64ArrayAttr arguments) {
  ArrayRef<double> values = arguments ? arguments.asArrayRef() : ArrayRef<double>();
  size_t expected = numInitArguments(kind);
  if (values.size() != expected) // C1
    return emitError() << "expected " << expected << " numbers after '" << stringifyInitKind(kind)
                       << "', got " << values.size();
  if (!llvm::all_of(values, [](double value) { return std::isfinite(value); })) // C2
    return emitError() << "expected finite numbers after '" << stringifyInitKind(kind) << "'";
  if (kind == InitKind::Uniform && values[0] > values[1]) // C3
    return emitError() << "expected the low end of 'uniform' not above the high end, got "
                       << values[0] << " and " << values[1];
  if (kind == InitKind::Normal && values[1] < 0) // C4
    return emitError() << "expected a standard deviation of at least 0, got " << values[1];
  return success();
}

LogicalResult RoleAttr::verify(function_ref<InFlightDiagnostic()> emitError, RoleKind kind,
                               StringAttr name) {
  bool namesParameter = kind == RoleKind::Parameter || kind == RoleKind::Gradient;
  if ((namesParameter || kind == RoleKind::Saved) && (!name || name.empty())) // C1
    return emitError() << "expected " << (namesParameter ? "the name of a parameter" : "a name")
                       << " after '" << stringifyRoleKind(kind) << "'";
  return success();
}

static LogicalResult verifyBoundary(Operation *op, NamedAttribute attribute, StringRef where,
                                    unsigned index) {
  if (attribute.getName() == "graph.role" && !isa<RoleAttr>(attribute.getValue())) // C2
    return op->emitError() << "expected a '#graph.role' as 'graph.role' of " << where << " #"
                           << index << ", got '" << attribute.getValue() << "'";
  return success();
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                     unsigned argIndex, NamedAttribute attribute) {
  return verifyBoundary(op, attribute, "argument", argIndex);
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                                        unsigned resultIndex,
                                                        NamedAttribute attribute) {
  return verifyBoundary(op, attribute, "result", resultIndex);
}
