// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares N ranks with one device, in the interpreter and on the ranks' device.
#pragma once

#include "compiler/verify/ModelReference.h"

namespace pcc::verify {

/// Compares the training step of one device in the interpreter with the step of all ranks, on
/// seeded inputs. Runs the program of a rank in the interpreter first (cases `interpreter: …`),
/// then the linked program on its device (cases `cpu: …` or `gpu: …`). Without a training step,
/// compares the outputs. Consumes the program. Errors, such as a missing device, say why no ranks
/// run.
runtime::Expected<interpret::Report> verifyModel(VerifiedModel model);

} // namespace pcc::verify
