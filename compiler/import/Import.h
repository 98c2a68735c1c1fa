// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model's file to a module of the graph stage: `@forward`, whose arguments are the model's
// inputs, then its parameters, each bound by `graph.role`; one graph.parameter for each parameter,
// its values a resource; static shapes throughout.
//
// Every error in the input is diagnosed at its place in the file (Locations.h), all of them before
// giving up.
#pragma once

#include "compiler/import/Constant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace pcc::import {

struct ImportOptions {
  /// Sizes of the symbolic dimensions of the inputs (`--set-dim NAME=N`). A dimension without a
  /// name goes by `INPUT.DIMENSION`, as in `x.0`.
  llvm::StringMap<int64_t> dims;
  /// Values of inputs that must be known to import the model, as a shape that a user may choose
  /// (`--set-input NAME=FILE`): these become constants.
  llvm::StringMap<Constant> inputs;
  /// A .safetensors file whose values replace those of the parameters (`--weights FILE`); empty:
  /// those of the model.
  std::string weights;
  /// Which of the file's configurations for several devices counts (`--device-config NAME`); empty:
  /// the only one, if there is only one.
  std::string deviceConfiguration;
};

/// A node that cannot be imported.
struct UnsupportedNode {
  int64_t index; ///< from 0, in the order of the file
  std::string name, op;
  int64_t opset;
  std::string reason; ///< the message of its first error
};

/// Imports the model `path`: `.onnx`, or a module in `.mlir` or `.mlirbc`. Returns null after an
/// error. `unsupported`, if given, receives every node that cannot be imported (`--check`).
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext &context,
                                              std::vector<UnsupportedNode> *unsupported = nullptr);

/// The same for an ONNX file, whatever its name.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path, const ImportOptions &options,
                                             mlir::MLIRContext &context,
                                             std::vector<UnsupportedNode> *unsupported = nullptr);

} // namespace pcc::import
