// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and prints the types of an optimizer step: one type if gradient and states have the
// parameter's, else
//
//   tensor<4xbf16> (tensor<4xf32>, tensor<4xf32>)      the parameter, then gradient and states
#pragma once

#include "mlir/IR/OpImplementation.h"
#include <utility>

namespace pcc::graph {

template <typename... Types>
mlir::ParseResult parseStepTypes(mlir::OpAsmParser &parser, mlir::Type &parameter,
                                 Types &...others) {
  if (parser.parseType(parameter))
    return mlir::failure();
  if (mlir::failed(parser.parseOptionalLParen())) {
    ((others = parameter), ...);
    return mlir::success();
  }
  bool isFirst = true;
  auto parseOne = [&](mlir::Type &type) {
    bool needsComma = !std::exchange(isFirst, false);
    return (needsComma && parser.parseComma()) || parser.parseType(type);
  };
  if ((parseOne(others) || ...))
    return mlir::failure();
  return parser.parseRParen();
}

template <typename... Types>
void printStepTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type parameter,
                    Types... others) {
  printer << parameter;
  if (((mlir::Type(others) == parameter) && ...))
    return;
  printer << " (";
  llvm::interleaveComma(llvm::ArrayRef<mlir::Type>{mlir::Type(others)...}, printer);
  printer << ")";
}

} // namespace pcc::graph
