// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the attributes and ops of the graph dialect. Also defines the assembly of initializers
// and roles, and makes constants for folding.
#include "dialects/graph/Graph.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::graph;

#include "dialects/graph/GraphDialect.cpp.inc"
#include "dialects/graph/GraphEnums.cpp.inc"

/// Parses zero or more numbers, each after a comma.
static ParseResult parseInitArguments(AsmParser &parser, DenseF64ArrayAttr &arguments) {
  SmallVector<double, 2> values;
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseFloat(values.emplace_back()))
      return failure();
  arguments = DenseF64ArrayAttr::get(parser.getContext(), values);
  return success();
}

static void printInitArguments(AsmPrinter &printer, DenseF64ArrayAttr arguments) {
  for (double value : arguments.asArrayRef()) {
    printer << ", ";
    printer.printFloat(APFloat(value));
  }
}

/// Parses a quoted name, or nothing.
static ParseResult parseRoleName(AsmParser &parser, StringAttr &name) {
  OptionalParseResult present = parser.parseOptionalAttribute(name);
  return present.has_value() ? *present : ParseResult::success();
}

static void printRoleName(AsmPrinter &printer, StringAttr name) {
  if (name)
    printer << ' ' << name;
}

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/GraphAttrs.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/graph/GraphAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/graph/GraphOps.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}
