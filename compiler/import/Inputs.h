// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a graph, with their symbolic dimensions bound.
#pragma once

#include "compiler/import/Constant.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::onnx {
class GraphProto;
class ValueInfoProto;
} // namespace pcc::onnx

namespace pcc::import {

struct GraphInput {
  std::string name;
  mlir::RankedTensorType type;
};

/// The inputs of `graph` that are neither initializers nor in `known`, in order. Symbolic
/// dimensions get their sizes from `dims`; those without one are all named in one error, and so are
/// the names in `dims` that no input has. Names in `known` that no input has are errors as well.
/// Nothing is returned after an error.
std::optional<std::vector<GraphInput>> bindInputs(const onnx::GraphProto &graph,
                                                  const llvm::StringMap<int64_t> &dims,
                                                  const llvm::StringMap<Constant> &known,
                                                  mlir::Location loc);

/// The inputs of `graph` that are not initializers, as the file has them.
std::vector<const onnx::ValueInfoProto *> listInputs(const onnx::GraphProto &graph);

} // namespace pcc::import
