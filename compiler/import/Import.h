// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model's file as a module for the phase graph. The arguments of `@forward` are the
// model's inputs, then its parameters, each bound by `graph.role`. Each parameter has one
// graph.parameter, with values in a resource. All shapes are static.
//
// Every error is diagnosed at its position in the file (Locations.h). Import reports the errors of
// all nodes before it fails; an error of the file as a whole, such as an unknown opset, ends it at
// once.
#pragma once

#include "compiler/import/files/Constant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace pcc::import {

struct ImportOptions {
  /// Sizes of the symbolic dimensions of the inputs (`--set-dim NAME=N`). A dimension without a
  /// name is called `INPUT.DIMENSION`, as in `x.0`.
  llvm::StringMap<int64_t> dims;
  /// Values of inputs that must be known to import the model, such as a shape that the user chooses
  /// (`--set-input NAME=FILE`). These inputs become constants.
  llvm::StringMap<Constant> inputs;
  /// Values of inputs that are sequences.
  llvm::StringMap<std::vector<Constant>> sequences;
  /// Inputs of an optional type that have no value.
  llvm::StringSet<> absent;
  /// Path of a .safetensors file, or of the .json index of several, whose values replace the
  /// parameters' values (`--weights FILE`). Empty: keep the values of the model.
  std::string weights;
  /// Name of the file's multi-device configuration to use (`--device-config NAME`). Empty: the only
  /// configuration, if there is exactly one. `none`: no configuration.
  std::string deviceConfiguration;
  /// Records the nodes of the file (passes/analysis/names/FileNodes.h), so that a plan can be
  /// written to it.
  bool recordsNodes = false;
};

/// Attribute of the module with the types of the outputs that have no elements, by name. Programs
/// do not compute these.
inline constexpr llvm::StringLiteral emptyOutputsAttrName = "graph.empty_outputs";

/// A node that has an error of its own.
struct UnsupportedNode {
  int64_t index; ///< from 0, in the order of the file
  std::string name, op;
  int64_t opset;
  std::string reason; ///< message of its first error
};

/// Imports the model `path`: `.onnx`, or a module in `.mlir` or `.mlirbc`. Returns null after an
/// error. `unsupported`, if given, receives every node of an ONNX file that has an error of its own
/// (`--check`); nodes that only read the results of such nodes are left out.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext &context,
                                              std::vector<UnsupportedNode> *unsupported = nullptr);

/// Imports an ONNX file, whatever its name.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path, const ImportOptions &options,
                                             mlir::MLIRContext &context,
                                             std::vector<UnsupportedNode> *unsupported = nullptr);

} // namespace pcc::import
