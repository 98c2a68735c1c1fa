// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pcc tells the shell. Scripts rely on these numbers.
#pragma once

namespace pcc::cli {

enum ExitCode {
  Success = 0,
  BadInput = 1,       ///< a file, or what is in it; diagnostics were printed
  BadUsage = 2,       ///< a flag or its value
  Infeasible = 3,     ///< no plan fits
  Mismatch = 4,       ///< a comparison failed
  RunFailed = 5,      ///< while running, or a time-out
  Unavailable = 6,    ///< a feature or device that is not here
  InternalError = 70, ///< an error in pcc itself
};

} // namespace pcc::cli
