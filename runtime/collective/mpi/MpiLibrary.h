// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in libpcc-mpi.so, opened once per process.

#pragma once

#include "runtime/base/Base.h"
#include "runtime/collective/mpi/plugin/PccMpi.h"

#include <string>

namespace pcc::runtime::mpi {

/// Opens the plug-in, from ../lib beside this program or from the system's library path. Error:
/// Unavailable with the remedy, also for a plug-in of another version.
Expected<const PccMpi *> openLibrary();

/// Returns "MPI: …" with the library's message for an error code, or success for 0.
Status statusOf(const PccMpi &library, int code);

} // namespace pcc::runtime::mpi
