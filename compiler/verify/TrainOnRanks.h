// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs training steps of a loaded program, and compares them with one device in the interpreter.
#pragma once

#include "compiler/interpret/compare/Verify.h"
#include "runtime/execute/Session.h"

namespace pcc::verify {

/// Trains the steps of `reference` on the ranks of a session, from the same parameters and batches.
runtime::Expected<interpret::TrainingResult>
trainOnRanks(runtime::Session &session, const interpret::TrainingReference &reference);

/// Runs the step of `one`, a module of one device, in the interpreter. Runs the same steps on the
/// ranks of `session`, and compares losses, gradients and updated parameters.
interpret::Report verifyTraining(mlir::ModuleOp one, runtime::Session &session,
                                 const interpret::VerifyOptions &options);

} // namespace pcc::verify
