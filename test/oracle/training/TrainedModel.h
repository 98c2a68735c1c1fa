// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/interpret/compare/Compare.h"
#include <string>

namespace pcc::test {

/// Trains the model for two steps on this machine's CPU, and compares all results with the
/// interpreter's. Errors of the compiler, the interpreter or the run are failed cases.
interpret::Report compareTraining(const std::string &model, const std::string &optimizer,
                                  uint64_t seed);

} // namespace pcc::test
