// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles errors in pcc itself: exit code 70 and a script that reproduces the error.
#pragma once

namespace pcc::cli {

/// Installs a crash handler. It prints one line and the stack, and writes `pcc-crash-PID.sh` to the
/// current folder, a script with the command line of this process.
void reportInternalErrors(int argc, char **argv);

} // namespace pcc::cli
