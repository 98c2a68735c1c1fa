// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations of imported models, and how diagnostics show them. The location of an ONNX node is
//
//     loc(fused<"onnx.node">["/h.3/mlp/c_fc/MatMul"("model.onnx":62:0), "train.py":53:0])
//
// the node's name over the file and the node's index (from 0, in the order of the file), fused with
// the line of the user's own program where the exporter recorded one. A diagnostic there reads
//
//     model.onnx:node 62 '/h.3/mlp/c_fc/MatMul' (train.py:53): error: …
//
// Locations survive every pass, so the last stage can still point at the node it came from.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace pcc::onnx {
class NodeProto;
}

namespace pcc::import {

/// The location of a whole file.
mlir::Location fileLocation(llvm::StringRef file, mlir::MLIRContext &context);

/// The location of node `index` of `file`; a node without a name goes by that of its first output.
mlir::Location nodeLocation(llvm::StringRef file, int64_t index, const onnx::NodeProto &node,
                            mlir::MLIRContext &context);

/// Prints `location` as a diagnostic shows it: ONNX nodes in the form above, source positions as
/// `file:line:column`, whole files as `file`, nothing for an unknown location.
void printLocation(llvm::raw_ostream &os, mlir::Location location);

/// While it lives, prints every diagnostic of the context as `LOCATION: error: message` with its
/// notes, one a line.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext *context, llvm::raw_ostream &os);
};

/// While it lives, keeps the text of the context's first error, and nothing is printed.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context);

  /// Empty if there was none.
  const std::string &str() const { return text; }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace pcc::import
