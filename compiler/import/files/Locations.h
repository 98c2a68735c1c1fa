// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations of imported models, and their form in diagnostics. An ONNX node has the location
//
//     loc(fused<"onnx.node">["/h.3/mlp/c_fc/MatMul"("model.onnx":62:0), "train.py":53:0])
//
// with the node's name, the file, and the node's index (from 0, in the order of the file). If the
// exporter stored the stack trace, the location is fused with the line of the model's code: that of
// the innermost frame outside torch. If it stored the module (ModuleNames.cpp), the op's name is
// that of the module, around the node's name:
//
//     "h.3.mlp.c_fc/matmul"("node_MatMul_62"("model.onnx":62:0))
//
// Diagnostics at these nodes read
//
//     model.onnx:node 62 '/h.3/mlp/c_fc/MatMul' (train.py:53): error: …
//     model.onnx:node 62 'h.3.mlp.c_fc/matmul' (train.py:53): error: …
//
// Locations survive every pass, so the last phase can still report the node of an op.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "passes/analysis/ThreadDiagnostics.h"

namespace pcc::onnx {
class NodeProto;
}

namespace pcc::import {

/// Returns the location of a whole file.
mlir::Location fileLocation(llvm::StringRef file, mlir::MLIRContext &context);

/// Returns the location of node `index` of `file`. A node without a name gets the name of its first
/// output. `moduleName`, if not empty, is the op's name by modules.
mlir::Location nodeLocation(llvm::StringRef file, int64_t index, const onnx::NodeProto &node,
                            mlir::MLIRContext &context, llvm::StringRef moduleName = "");

/// Prints `location` as diagnostics show it: ONNX nodes in the form above, source positions as
/// `file:line:column`, whole files as `file`, and nothing for an unknown location.
void printLocation(llvm::raw_ostream &os, mlir::Location location);

/// Prints, during its lifetime, every diagnostic of the context as `LOCATION: error: message` with
/// its notes, one per line.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext *context, llvm::raw_ostream &os);
};

/// Keeps, during its lifetime, the text of the first error of the thread that made it, and drops
/// all other diagnostics of this thread.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context);

  /// Returns the text of the first error; empty if there was none.
  const std::string &str() const { return text; }
  /// Returns the text of the first error of a compilation that failed. The text is never empty.
  std::string describe() const {
    return text.empty() ? "compilation failed without a diagnostic" : text;
  }

private:
  std::string text;
  analysis::ThreadDiagnostics handler;
};

} // namespace pcc::import
