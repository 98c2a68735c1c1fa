// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc verify MODEL`: N ranks against one device, in the interpreter and on the CPU.
#pragma once

#include "compiler/interpret/Verify.h"
#include "tools/pcc/RoadFlags.h"

namespace pcc::cli {

/// Compares, on seeded inputs, the training step of one device in the interpreter with the step of
/// all ranks: first the program of a rank in the interpreter (cases `interpreter: …`), then the
/// linked program on its device (cases `cpu: …` or `gpu: …`). Without a training step the outputs
/// are compared. Errors are diagnostics, and set `code`; a device that is not here is one.
interpret::Report verifyModel(Session &session, const RoadFlags &road,
                              const interpret::VerifyOptions &options, ExitCode &code);

} // namespace pcc::cli
