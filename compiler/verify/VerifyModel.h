// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares N ranks with one device, in the interpreter and on the ranks' device. Also writes what
// one device computes as golden results. A machine with the program's devices and no compiler
// compares with them: `pcc-run PREFIX.pcx --expected=PREFIX.expected`.
#pragma once

#include "compiler/Compile.h"
#include "compiler/interpret/compare/Verify.h"
#include "runtime/abi/golden.pb.h"
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

/// Compares the training step of one device in the interpreter with the step of all ranks, on
/// seeded inputs. Runs the program of a rank in the interpreter first (cases `interpreter: …`),
/// then the linked program on its device (cases `cpu: …` or `gpu: …`). Without a training step,
/// compares the outputs. Consumes the program. Errors, such as a missing device, say why no ranks
/// run.
runtime::Expected<interpret::Report> verifyModel(VerifiedModel model);

/// Computes the golden results of `model`: the outputs of a forward run and, if it trains, losses,
/// gradients and updated parameters, with the tolerances of `pcc verify`. The error says what
/// cannot be computed.
runtime::Expected<abi::GoldenResults> computeGoldenResults(VerifiedModel &model);

} // namespace pcc::verify
