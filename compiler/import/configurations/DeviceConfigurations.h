// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the multi-device configurations of a file (ONNX IR 11). A file has named configurations;
// one is chosen, and only the nodes' entries for this configuration are read. DeviceShardings.h
// reads the shardings of these entries.
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

/// Returns whether `requested` asks for no configuration: `none`, unless the file has one of this
/// name.
inline bool isNoConfiguration(llvm::StringRef requested) { return requested == "none"; }

/// Returns the configuration called `requested`. For an empty name, returns the only configuration
/// of the file, or an empty string if it has none or several. Emits an error at `loc` for an
/// unknown name.
mlir::FailureOr<std::string> chooseConfiguration(const onnx::ModelProto &model,
                                                 llvm::StringRef requested, mlir::Location loc);

/// Emits an error and fails if a node of the main graph of the file `path` names a configuration
/// that the file does not have. The error is at the first such node.
mlir::LogicalResult checkConfigurations(const onnx::ModelProto &model, llvm::StringRef path,
                                        mlir::MLIRContext &context);

/// Returns the stage of the node in `configuration`; nothing if the node gives none.
std::optional<int64_t> findPipelineStage(const onnx::NodeProto &node,
                                         llvm::StringRef configuration);

} // namespace pcc::import
