// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in libpcc-mpi.so, opened once per process.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_MPILIBRARY_H
#define PCC_RUNTIME_COLLECTIVE_MPI_MPILIBRARY_H

#include "runtime/base/Base.h"
#include "runtime/collective/mpi/plugin/PccMpi.h"

#include <string>

namespace pcc::runtime::mpi {

/// Opens the plug-in, from beside this program (../lib) or from where the system looks for
/// libraries. Error: Unavailable with the cure, also for one of another version.
Expected<const PccMpi *> openLibrary();

/// "MPI: …" with the library's own words for an error code, or success for 0.
Status statusOf(const PccMpi &library, int code);

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_MPILIBRARY_H
