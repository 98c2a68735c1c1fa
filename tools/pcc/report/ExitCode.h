// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit codes of pcc. Scripts rely on these numbers. runtime/abi/Status.h has those of errors at run
// time, which are the same.
#pragma once

namespace pcc::cli {

enum ExitCode : int { // also 128 and the number of a signal
  Success = 0,
  BadInput = 1,       ///< a bad file or bad contents; diagnostics were printed
  BadUsage = 2,       ///< a bad flag or value
  Infeasible = 3,     ///< no plan fits
  Mismatch = 4,       ///< a comparison failed
  RunFailed = 5,      ///< an error or time-out while running
  Unavailable = 6,    ///< a feature or device that is missing
  InternalError = 70, ///< an error in pcc itself
};

} // namespace pcc::cli
