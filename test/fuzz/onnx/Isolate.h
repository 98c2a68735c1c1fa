// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs work in a process of its own: a crash or a hang ends only that process.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace pcc::fuzz {

struct Outcome {
  std::string text;  ///< the result of the work
  std::string fault; ///< `signal 11`, `time limit of 60 s`; empty after success
};

/// Runs `body` in a child process for at most `seconds`. The caller must have no threads.
Outcome runIsolated(llvm::function_ref<std::string()> body, unsigned seconds);

/// Runs `body` for each number below `count` in a child process, all concurrently and without a
/// time limit.
std::vector<Outcome> runTogether(unsigned count, llvm::function_ref<std::string(unsigned)> body);

} // namespace pcc::fuzz
