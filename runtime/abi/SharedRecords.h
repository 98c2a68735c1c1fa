// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of the same layers have the same records: all of a transformer's but the first and the
// last. What they have of their own are parameters, names, the order of slots, and so the copies of
// rings. A file holds such records once:
//
//   programs[1]   sections …
//   programs[2]   same_as: 2, own_parts: names of its ops
//   programs[3]   same_as: 2, …

#ifndef PCC_RUNTIME_ABI_SHAREDRECORDS_H
#define PCC_RUNTIME_ABI_SHAREDRECORDS_H

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// Takes away the sections of programs that are those of an earlier one.
void shareRecords(Executable &executable);

/// The other way, for an executable that was read. Errors: a reference to a program that has no
/// sections of its own, other numbers of names, more than 2 GiB in all.
Status fillInRecords(Executable &executable);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_SHAREDRECORDS_H
