// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines the functions of a model: each call becomes the nodes of the function, with its own names
// and with the attributes of the call.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <vector>

namespace pcc::onnx {
class ModelProto;
} // namespace pcc::onnx

namespace pcc::import {

/// Replaces all calls of functions in the graph of `model`. Returns for each node of the new graph
/// the position of its call in the old one; an empty list if the model has no functions. Fails
/// after an error at `loc`.
mlir::FailureOr<std::vector<int64_t>> inlineFunctions(onnx::ModelProto &model, mlir::Location loc);

} // namespace pcc::import
