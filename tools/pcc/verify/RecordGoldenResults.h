// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc verify MODEL --record=PREFIX`: stores the comparison of `pcc verify MODEL` as golden
// results. A machine with the program's devices and no compiler runs it:
// `pcc-run PREFIX.pcx --expected=PREFIX.expected`.
#pragma once

#include "runtime/abi/golden.pb.h"
#include "tools/pcc/verify/ModelReference.h"

namespace pcc::cli {

/// Computes the golden results of `model`: the outputs of a forward run and, if it trains, losses,
/// gradients and updated parameters, with the tolerances of `pcc verify`. The error says what
/// cannot be computed.
runtime::Expected<abi::GoldenResults> computeGoldenResults(VerifiedModel &model);

/// Compiles the model, writes PREFIX.pcx and PREFIX.expected, and prints one line about them. Runs
/// nothing on a device. Errors are diagnostics.
ExitCode recordGoldenResults(Session &session, const CompileFlags &compileFlags,
                             const interpret::VerifyOptions &options, const std::string &prefix);

} // namespace pcc::cli
