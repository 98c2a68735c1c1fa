// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares N ranks with one device, in the interpreter and on the ranks' device. Also writes what
// one device computes as golden results. A machine with the program's devices and no compiler
// compares with them: `pcc-run PREFIX.pcx --expected=PREFIX.expected`.
#pragma once

#include "compiler/verify/ModelReference.h"
#include "runtime/abi/golden.pb.h"

namespace pcc::verify {

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
