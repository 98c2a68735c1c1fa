// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Main function of the programs that judge files of cases: PROGRAM [--all] [--kind=KIND] FILE…
//
// Prints a line for each case that is not the same, or with --all for every case, and counts for
// each kind. Cases of kinds that are not in the table are counted as not judged.
#pragma once

#include "test/conformance/training/Case.h"
#include "llvm/ADT/ArrayRef.h"

namespace pcc::conformance {

/// Runs the program; `overview` is a sentence for --help. Returns 1 if a case failed or a file
/// cannot be read.
int judgeCases(int argc, char **argv, llvm::StringRef overview, llvm::ArrayRef<Kind> kinds);

} // namespace pcc::conformance
