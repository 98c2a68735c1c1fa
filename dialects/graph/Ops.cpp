// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the generated op classes, the types of their tensors, and how the types of an optimizer
// step are parsed and printed.
#include "dialects/graph/Graph.h"
#include "mlir/IR/OpImplementation.h"
#include <utility>

using namespace mlir;
using namespace pcc::graph;

bool pcc::graph::hasGraphShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size < 1 || size > maxElements / elements)
      return false;
    elements *= size;
  }
  return true;
}

Type pcc::graph::boolTensorLike(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(IntegerType::get(type.getContext(), 1))) : type;
}

Type pcc::graph::i64TensorLike(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(IntegerType::get(type.getContext(), 64))) : type;
}

Type pcc::graph::accumulatorOf(Type element) {
  return element.isF64() ? element : Float32Type::get(element.getContext());
}

// Parses and prints the types of an optimizer step: one type if gradient and states have the
// parameter's, else
//
//   tensor<4xbf16> (tensor<4xf32>, tensor<4xf32>)      the parameter, then gradient and states

template <typename... Types>
static ParseResult parseStepTypes(OpAsmParser &parser, Type &parameter, Types &...others) {
  if (parser.parseType(parameter))
    return failure();
  if (failed(parser.parseOptionalLParen())) {
    ((others = parameter), ...);
    return success();
  }
  bool isFirst = true;
  auto parseOne = [&](Type &type) {
    bool needsComma = !std::exchange(isFirst, false);
    return (needsComma && parser.parseComma()) || parser.parseType(type);
  };
  if ((parseOne(others) || ...))
    return failure();
  return parser.parseRParen();
}

template <typename... Types>
static void printStepTypes(OpAsmPrinter &printer, Operation *, Type parameter, Types... others) {
  printer << parameter;
  if (((Type(others) == parameter) && ...))
    return;
  printer << " (";
  llvm::interleaveComma(llvm::ArrayRef<Type>{Type(others)...}, printer);
  printer << ")";
}

#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.cpp.inc"
