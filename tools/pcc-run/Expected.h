// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc-run --expected: runs a program and compares its results with golden results.

#ifndef PCC_TOOLS_PCC_RUN_EXPECTED_H
#define PCC_TOOLS_PCC_RUN_EXPECTED_H

#include "runtime/execute/Session.h"

#include <string>

namespace pcc::tools {

/// Runs the program on the inputs of the golden results in the file `path`. Prints a line for each
/// result that differs, then "61 results as expected, the worst at 0.31 of its tolerance" or "2 of
/// 61 results differ, …". Returns whether all results are as expected. Errors: as those of
/// readGoldenResults, Session::load and compareWith.
runtime::Expected<bool> runExpected(abi::Executable executable, const std::string &path,
                                    const runtime::SessionOptions &options);

} // namespace pcc::tools

#endif // PCC_TOOLS_PCC_RUN_EXPECTED_H
