// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the multi-device configurations of a file (ONNX IR 11), and writes a plan as one. A file
// has named configurations; one is chosen, and only the nodes' entries for this configuration are
// read. DeviceShardings.h reads the shardings of these entries.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "passes/solve/order/Pipeline.h"
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

//===-- WritePlan.cpp -------------------------------------------------------------------------===//

// Writes the model's file with a plan: the shardings of a program as sharding specs of the nodes
// (ONNX IR 11), and its pipeline stages.
//
// A node has specs for its inputs and outputs that are operands and results of the program's
// forward ops (passes/analysis/names/FileTensorUses.h). Nodes have no backward ops and no partial
// sums: a result that the ranks still have to add up is written as the sharding after the addition.
// A tensor that several ops of its node take in different shardings has no spec.
//
// Everything else in the file stays as it is. Weights in other files stay there.

struct PlanFile {
  std::string model;         ///< file that the module was imported from
  std::string output;        ///< file to write; may be the same
  std::string configuration; ///< name of the configuration; empty: the file's only one, or `pcc`
};

/// Returns the content of the output file for the plan of `module`, a program after phase strategy
/// whose nodes were recorded at import. `pipeline` gives the number of stages. Emits an error and
/// fails if the model cannot be read, or if the output would not find its weights.
mlir::FailureOr<std::string> encodePlan(mlir::ModuleOp module, const PlanFile &file,
                                        const order::PipelineShape &pipeline);

} // namespace pcc::import
