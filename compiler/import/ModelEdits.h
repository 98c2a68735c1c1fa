// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of a model before its nodes are imported: calls of functions are inlined, and the weights
// that the file lacks are declared.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace pcc::onnx {
class GraphProto;
class ModelProto;
} // namespace pcc::onnx

namespace pcc::import {

/// Replaces all calls of functions in the graph of `model`. Returns for each node of the new graph
/// the position of its call in the old one; an empty list if the model has no functions. Fails
/// after an error at `loc`.
mlir::FailureOr<std::vector<int64_t>> inlineFunctions(onnx::ModelProto &model, mlir::Location loc);

/// Adds an initializer without data for each undefined name that torch's metadata list as a
/// parameter or buffer of the module. `dims` are the sizes of `--set-dim`; sizes of weights are
/// removed from it. Fails with an error for each tensor whose shape is unknown. A remark names each
/// embedding whose size is assumed, and each tensor that is assumed to have one dimension, unless
/// it is called `weight` or `bias`.
mlir::LogicalResult declareAbsentWeights(onnx::GraphProto &graph, llvm::StringMap<int64_t> &dims,
                                         mlir::Location location);

} // namespace pcc::import
