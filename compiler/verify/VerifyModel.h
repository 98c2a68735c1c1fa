// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares N ranks with one device, in the interpreter and on the ranks' device, and a model with
// the results that are stored with it. Also writes what one device computes as golden results. A
// machine with the program's devices and no compiler compares with them: `pcc-run PREFIX.pcx
// --expected=PREFIX.expected`.
#pragma once

#include "compiler/Compile.h"
#include "compiler/import/Import.h"
#include "compiler/interpret/compare/Compare.h"
#include "compiler/interpret/compare/Verify.h"
#include "mlir/IR/MLIRContext.h"
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

//===-- TrainOnRanks.cpp ----------------------------------------------------------------------===//

// Runs training steps of a loaded program, and compares them with one device in the interpreter.

/// Trains the steps of `reference` on the ranks of a session, from the same parameters and batches.
runtime::Expected<interpret::TrainingResult>
trainOnRanks(runtime::Session &session, const interpret::TrainingReference &reference);

/// Runs the step of `one`, a module of one device, in the interpreter. Runs the same steps on the
/// ranks of `session`, and compares losses, gradients and updated parameters.
interpret::Report verifyTraining(mlir::ModuleOp one, runtime::Session &session,
                                 const interpret::VerifyOptions &options);

//===-- VerifyTestData.cpp --------------------------------------------------------------------===//

// Compares a model with the results that are stored with it, in the form of ONNX's own tests.

/// Allowed difference of an element: `absolute` plus `relative` times the expected magnitude. The
/// defaults are those of ONNX's own tests.
struct StoredTolerance {
  double relative = 1e-3, absolute = 1e-7;
  /// Results may also differ by the rounding bound of the interpreter (docs/spec/interpreter.md,
  /// "Tolerances"), since another program rounded the stored ones.
  bool allowsRounding = true;
};

/// Imports the ONNX file `model` for each data set: `folder` itself, or each `test_data_set_N` in
/// it, with `importOptions` and the sizes of the data. Runs the model in the interpreter (cases
/// `interpreter: …`) and, compiled with `options`, on this machine's CPU (cases `cpu: …`), and
/// compares every output. A set that cannot be read and a model that cannot be imported are skipped
/// cases with the first error. Outputs of element types that no program has are skipped, too.
interpret::Report verifyTestData(mlir::MLIRContext &context, llvm::StringRef model,
                                 llvm::StringRef folder, const CompileOptions &options,
                                 const StoredTolerance &tolerance = {},
                                 const import::ImportOptions &importOptions = {});

} // namespace pcc::verify
