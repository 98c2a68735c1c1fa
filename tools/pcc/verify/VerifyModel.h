// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc verify MODEL`: compares N ranks with one device, in the interpreter and on the ranks'
// device.
#pragma once

#include "compiler/interpret/compare/Verify.h"
#include "tools/pcc/flags/CompileFlags.h"

namespace pcc::cli {

/// Compares the training step of one device in the interpreter with the step of all ranks, on
/// seeded inputs. Runs the program of a rank in the interpreter first (cases `interpreter: …`),
/// then the linked program on its device (cases `cpu: …` or `gpu: …`). Without a training step,
/// compares the outputs. Errors, such as a missing device, are diagnostics and set `code`.
interpret::Report verifyModel(Session &session, const CompileFlags &compileFlags,
                              const interpret::VerifyOptions &options, ExitCode &code);

} // namespace pcc::cli
