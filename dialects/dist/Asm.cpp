// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text forms of the dialect's attributes.
#include "dialects/dist/Dist.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

FailureOr<ReduceKind> FieldParser<ReduceKind>::parse(AsmParser &parser) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  if (std::optional<ReduceKind> kind = symbolizeReduceKind(name))
    return *kind;
  return parser.emitError(loc) << "expected sum, max, min or prod, got \"" << name << "\"";
}

//===-- Mesh: <dp=2, tp=4> ----------------------------------------------------------------===//

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  auto parseAxis = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseAxis))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef<StringAttr>(names), ArrayRef<int64_t>(sizes));
}

void MeshAttr::print(AsmPrinter &printer) const { printer << "<" << getMesh().str() << ">"; }

//===-- Sharding: <[dp, _, x.y] partial(sum: tp)> -----------------------------------------===//

/// Parses the axes of one dimension: `_`, or names joined by dots, which the lexer takes for one
/// keyword.
static ParseResult parseDim(AsmParser &parser, SmallVectorImpl<Attribute> &dims) {
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  SmallVector<StringRef> names;
  if (text != "_")
    text.split(names, '.');
  if (llvm::is_contained(names, ""))
    return parser.emitError(parser.getNameLoc())
           << "expected axes joined by dots, got \"" << text << "\"";
  dims.push_back(Builder(parser.getContext()).getStrArrayAttr(names));
  return success();
}

static FailureOr<ShardingAttr> parseBareShardingAttr(AsmParser &parser) {
  SmallVector<Attribute> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseDim(parser, dims); }))
    return failure();
  SmallVector<std::string> partialAxes;
  ReduceKind kind = ReduceKind::Sum;
  if (succeeded(parser.parseOptionalKeyword("partial"))) {
    FailureOr<ReduceKind> parsed = failure();
    auto parseAxis = [&] {
      StringRef name;
      ParseResult result = parser.parseKeyword(&name);
      partialAxes.push_back(name.str());
      return result;
    };
    if (parser.parseLParen() || failed(parsed = FieldParser<ReduceKind>::parse(parser)) ||
        parser.parseColon() || parser.parseCommaSeparatedList(parseAxis) || parser.parseRParen())
      return failure();
    kind = *parsed;
  }
  SmallVector<AxisList, 4> lists;
  for (Attribute dim : dims) {
    AxisList &list = lists.emplace_back();
    for (StringAttr name : cast<ArrayAttr>(dim).getAsRange<StringAttr>())
      list.push_back(name.str());
  }
  return ShardingAttr::get(parser.getContext(),
                           Sharding(lists, AxisList(partialAxes.begin(), partialAxes.end()), kind));
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  FailureOr<ShardingAttr> attr = failure();
  if (parser.parseLess() || failed(attr = parseBareShardingAttr(parser)) || parser.parseGreater())
    return {};
  return *attr;
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSharding().str() << ">";
}

FailureOr<Sharding> pcc::dist::parseSharding(StringRef text, MLIRContext *context) {
  auto attr = dyn_cast_if_present<ShardingAttr>(
      parseAttribute(("#dist.sharding<" + text + ">").str(), context));
  if (!attr)
    return failure();
  return attr.getSharding();
}

static ParseResult parseBareSharding(OpAsmParser &parser, ShardingAttr &attr) {
  FailureOr<ShardingAttr> parsed = parseBareShardingAttr(parser);
  if (failed(parsed))
    return failure();
  attr = *parsed;
  return success();
}

static void printBareSharding(OpAsmPrinter &printer, Operation *, ShardingAttr attr) {
  printer << attr.getSharding().str();
}

//===-- Rows of integers: [[0, 1], [2, 3]] ------------------------------------------------===//

static ParseResult parseRows(AsmParser &parser, SmallVectorImpl<DenseI64ArrayAttr> &rows) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SmallVector<int64_t> row;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(row.emplace_back()); }))
      return failure();
    rows.push_back(DenseI64ArrayAttr::get(parser.getContext(), row));
    return success();
  });
}

static void printRows(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> rows) {
  printer << "[";
  llvm::interleaveComma(rows, printer, [&](DenseI64ArrayAttr row) {
    printer << "[";
    llvm::interleaveComma(row.asArrayRef(), printer);
    printer << "]";
  });
  printer << "]";
}

Attribute TableAttr::parse(AsmParser &parser, Type) {
  SmallVector<DenseI64ArrayAttr> rows;
  if (parser.parseLess() || parseRows(parser, rows) || parser.parseGreater())
    return {};
  return get(parser.getContext(), rows);
}

void TableAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printRows(printer, getRows());
  printer << ">";
}

static ParseResult parseBareTable(OpAsmParser &parser, TableAttr &attr) {
  SmallVector<DenseI64ArrayAttr> rows;
  if (parseRows(parser, rows))
    return failure();
  attr = TableAttr::get(parser.getContext(), rows);
  return success();
}

static void printBareTable(OpAsmPrinter &printer, Operation *, TableAttr attr) {
  printRows(printer, attr.getRows());
}

//===-- Group: <axes [dp]>, <ranks [[0, 1], [2, 3]]> --------------------------------------===//

Attribute GroupAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  SmallVector<DenseI64ArrayAttr> ranks;
  auto parseAxis = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    axes.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("ranks"))) {
    if (parseRows(parser, ranks))
      return {};
    if (ranks.empty()) { // C8; as an attribute it would be the group over no axes
      parser.emitError(loc) << "expected at least one list of ranks";
      return {};
    }
  } else if (parser.parseKeyword("axes") ||
             parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis)) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef<StringAttr>(axes), ArrayRef<DenseI64ArrayAttr>(ranks));
}

void GroupAttr::print(AsmPrinter &printer) const {
  if (!getRanks().empty()) {
    printer << "<ranks ";
    printRows(printer, getRanks());
  } else {
    printer << "<axes [";
    llvm::interleaveComma(getAxes(), printer,
                          [&](StringAttr axis) { printer.printKeywordOrString(axis); });
    printer << "]";
  }
  printer << ">";
}

#define GET_OP_CLASSES
#include "dialects/dist/DistOps.cpp.inc"
