// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when pcc itself is wrong: exit code 70 and a file with which the error can be seen
// again.
#pragma once

namespace pcc::cli {

/// From now on a crash prints one line, the stack, and writes `pcc-crash-PID.sh`, the command line
/// of this process as a script, to the current folder.
void reportInternalErrors(int argc, char **argv);

} // namespace pcc::cli
