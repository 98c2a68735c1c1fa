// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file says of several devices (ONNX IR 11): named configurations, of which one counts, and
// what its nodes say for that one. So far the pipeline stage.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <optional>
#include <string>

namespace pcc::onnx {
class ModelProto;
class NodeProto;
} // namespace pcc::onnx

namespace pcc::import {

/// The configuration called `asked`; for an empty name the only one of the file, or empty. An
/// unknown name is diagnosed at `loc`.
mlir::FailureOr<std::string> chooseConfiguration(const onnx::ModelProto &model,
                                                 llvm::StringRef asked, mlir::Location loc);

/// Fails with a diagnostic at the first node of the file `path` that speaks of a configuration
/// which the file does not have.
mlir::LogicalResult checkConfigurations(const onnx::ModelProto &model, llvm::StringRef path,
                                        mlir::MLIRContext &context);

/// The stage on which `configuration` wants the node; nothing if it does not say.
std::optional<int64_t> findStage(const onnx::NodeProto &node, llvm::StringRef configuration);

} // namespace pcc::import
