// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of a model's ranks with one device as golden results. A machine with the program's
// devices and no compiler runs it: `pcc-run PREFIX.pcx --expected=PREFIX.expected`.
#pragma once

#include "compiler/verify/ModelReference.h"
#include "runtime/abi/golden.pb.h"

namespace pcc::verify {

/// Computes the golden results of `model`: the outputs of a forward run and, if it trains, losses,
/// gradients and updated parameters, with the tolerances of `pcc verify`. The error says what
/// cannot be computed.
runtime::Expected<abi::GoldenResults> computeGoldenResults(VerifiedModel &model);

} // namespace pcc::verify
