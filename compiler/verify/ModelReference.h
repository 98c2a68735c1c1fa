// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model for its ranks and for one device, and computes the reference of one device in
// the interpreter.
#pragma once

#include "compiler/Compile.h"
#include "compiler/interpret/compare/Verify.h"
#include "runtime/execute/Session.h"

namespace pcc::verify {

/// A model compiled for its ranks, and its module for one device.
struct VerifiedModel {
  mlir::OwningOpRef<mlir::ModuleOp> one;   ///< of one device, after phase grad
  mlir::OwningOpRef<mlir::ModuleOp> local; ///< of a rank, after phase spmd
  abi::Executable program;
  CompileOptions pipeline;
  /// Options, with the factors that the ranks apply to their gradients.
  interpret::VerifyOptions options;

  /// Returns the options for a comparison of the linked program: `options`, and the parameters of
  /// which each of several ranks has its own.
  interpret::VerifyOptions programOptions();
};

/// Compiles `module`, as imported, for its ranks by `pipeline` and for one device. Reports errors
/// as diagnostics.
mlir::LogicalResult compileVerified(mlir::ModuleOp module, const CompileOptions &pipeline,
                                    const interpret::VerifyOptions &options, VerifiedModel &model);

/// Arguments of the function `forward`, and the outputs of one device for them.
struct ForwardReference {
  interpret::NamedTensors arguments;
  /// Only the outputs, because an evaluation reads back nothing else; a model may also have a loss.
  interpret::Reference outputs;

  /// Returns the inputs among the arguments by name, and zeros for inputs that only training reads
  /// (labels): the runtime expects all of them.
  runtime::NamedTensors inputsOf(const abi::Program &program) const;
};

/// Returns whether the model has a function `forward`.
bool hasForward(const VerifiedModel &model);

/// Runs `forward` on seeded arguments. The error says why it cannot run.
runtime::Expected<ForwardReference> makeForwardReference(const VerifiedModel &model);

} // namespace pcc::verify
