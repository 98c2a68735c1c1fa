// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of a graph, with their symbolic dimensions bound.
#pragma once

#include "compiler/import/files/Constant.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
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

/// Returns the inputs of `graph` that are neither initializers nor in `known` or `sequences`, in
/// order. Symbolic dimensions get their sizes from `dims`. One error lists all dimensions without
/// a size, another the names in `dims` that no input has. Names in `known` that no input has are
/// errors as well. Returns nothing after an error.
std::optional<std::vector<GraphInput>> bindInputs(const onnx::GraphProto &graph,
                                                  const llvm::StringMap<int64_t> &dims,
                                                  const llvm::StringMap<Constant> &known,
                                                  const llvm::StringSet<> &sequences,
                                                  mlir::Location loc);

/// Returns the inputs of `graph` that are not initializers, as they are in the file.
std::vector<const onnx::ValueInfoProto *> listInputs(const onnx::GraphProto &graph);

} // namespace pcc::import
