// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `pcc verify MODEL` holds the program of a model against: the same model on one device, in
// the interpreter.
#pragma once

#include "compiler/interpret/Verify.h"
#include "runtime/execute/Session.h"
#include "tools/pcc/RoadFlags.h"

namespace pcc::cli {

/// A model compiled for its ranks, and the module of one device beside it.
struct VerifiedModel {
  mlir::OwningOpRef<mlir::ModuleOp> one;   ///< of one device, after stage grad
  mlir::OwningOpRef<mlir::ModuleOp> local; ///< of a rank, after stage spmd
  abi::Executable program;
  PipelineOptions pipeline;
  /// With the factors that the ranks apply to their gradients.
  interpret::VerifyOptions options;

  /// For a comparison of the linked program: the options, and of which parameters each of several
  /// ranks has its own.
  interpret::VerifyOptions programOptions();
};

/// Compiles the model of the command line in both ways. Errors are diagnostics; BadUsage, BadInput
/// or what RoadFlags says.
ExitCode compileVerified(Session &session, const RoadFlags &road,
                         const interpret::VerifyOptions &options, VerifiedModel &model);

/// Arguments of the function `forward`, and what one device makes of them.
struct ForwardReference {
  interpret::NamedTensors arguments;
  /// The outputs alone, which are what an evaluation reads back; a model may have a loss as well.
  interpret::Reference outputs;

  /// The inputs of its arguments by name, and zeros for those that only training reads (labels):
  /// the device side wants all of them.
  runtime::NamedTensors inputsOf(const abi::Program &program) const;
};

/// Whether the model has a function `forward`.
bool hasForward(const VerifiedModel &model);

/// On seeded arguments. The error says why there is none.
runtime::Expected<ForwardReference> makeForwardReference(const VerifiedModel &model);

} // namespace pcc::cli
