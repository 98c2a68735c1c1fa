// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the generated op classes, and the types that they accept.
#include "dialects/graph/Graph.h"
#include "dialects/graph/StepTypes.h"

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

#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.cpp.inc"
