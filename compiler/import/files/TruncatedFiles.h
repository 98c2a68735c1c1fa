// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are mapped into memory. If another process shortens a mapped file, reading beyond its new
// end raises SIGBUS.
#pragma once

namespace pcc::import {

/// Makes the process end with exit code 1 and one line instead of a crash report if a mapped file
/// becomes shorter. Call it after other signal handlers are installed. `tool` is the name in front
/// of the message; it must live as long as the process.
void reportTruncatedFiles(const char *tool);

} // namespace pcc::import
