// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for records, and whose results each reads, from a program whose order of slots and
// records is the one it was made in (Record.number, Record.reads). Whoever changes orders or places
// afterwards is held to them by the check.

#ifndef PCC_RUNTIME_CHECK_STATEDATAFLOW_H
#define PCC_RUNTIME_CHECK_STATEDATAFLOW_H

#include "runtime/abi/program.pb.h"

namespace pcc::check {

/// States the dataflow of a valid executable, as its records read and write one after the other.
void stateDataflow(abi::Executable &executable);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_STATEDATAFLOW_H
