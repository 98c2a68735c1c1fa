// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the attributes and ops of the task dialect. Also parses, prints and verifies rank
// expressions, which are a table or a sum over mesh axes.
#include "dialects/task/Task.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::task;

#include "dialects/task/TaskDialect.cpp.inc"
#include "dialects/task/TaskEnums.cpp.inc"
#include "dialects/task/TaskInterfaces.cpp.inc"

/// Parses `[4, 8]`.
static ParseResult parseShape(AsmParser &parser, DenseI64ArrayAttr &shape) {
  SmallVector<int64_t> sizes;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(sizes.emplace_back()); }))
    return failure();
  shape = DenseI64ArrayAttr::get(parser.getContext(), sizes);
  return success();
}

static void printShape(AsmPrinter &printer, DenseI64ArrayAttr shape) {
  printer << "[";
  llvm::interleaveComma(shape.asArrayRef(), printer);
  printer << "]";
}

#define GET_ATTRDEF_CLASSES
#include "dialects/task/TaskAttrs.cpp.inc"

void TaskDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/task/TaskAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/task/TaskOps.cpp.inc"
      >();
}

/// Parses `[3, 1, 2, 0]`, with at least one entry.
static FailureOr<RankAttr> parseTable(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<int64_t> table;
  auto parseEntry = [&] { return parser.parseInteger(table.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return failure();
  if (table.empty())
    return parser.emitError(where) << "expected one entry for each rank, got none";
  return RankAttr::get(parser.getContext(), 0, {}, {}, table);
}

Attribute RankAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  int64_t constant = 0;
  OptionalParseResult number = parser.parseOptionalInteger(constant);
  if (!number.has_value()) {
    FailureOr<RankAttr> table = parseTable(parser);
    return failed(table) || parser.parseGreater() ? Attribute() : Attribute(*table);
  }
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> strides;
  if (failed(*number))
    return {};
  while (succeeded(parser.parseOptionalPlus())) {
    StringRef axis;
    if (parser.parseKeyword(&axis) || parser.parseStar() ||
        parser.parseInteger(strides.emplace_back()))
      return {};
    axes.push_back(StringAttr::get(parser.getContext(), axis));
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RankAttr>(where, parser.getContext(), constant, axes, strides,
                                     ArrayRef<int64_t>());
}

void RankAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!getTable().empty()) {
    printer << "[";
    llvm::interleaveComma(getTable(), printer);
    printer << "]>";
    return;
  }
  printer << getConstant();
  for (auto [axis, stride] : llvm::zip_equal(getAxes(), getStrides()))
    printer << " + " << axis.getValue() << " * " << stride;
  printer << ">";
}

LogicalResult RankAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t constant,
                               ArrayRef<StringAttr> axes, ArrayRef<int64_t> strides,
                               ArrayRef<int64_t> table) {
  if (axes.size() != strides.size())
    return emitError() << "expected one stride per axis, got " << strides.size() << " strides for "
                       << axes.size() << " axes";
  if (!table.empty() && (constant != 0 || !axes.empty()))
    return emitError() << "expected a table or a sum over axes, got both";
  return success();
}
