// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's records by turns instead of seconds, as a thread takes them that goes through the list:
// it begins each in its turn, and knows of what runs beside COMPUTE that it is done when it has
// waited for it.
//
//   turn   0   1   2   3   4   5   6
//          [recv x         ]                 waited for by fc
//              [fc_0   ]                     a record of COMPUTE
//                              [fc]
//
// These are the turns of a run (runtime/execute), so what is live by them does not depend on how
// long anything takes. By seconds it may be less, where a message is done before it is waited for,
// or more, where the device begins a message before a thread would have come to it.

#ifndef PCC_RUNTIME_SIMULATE_LISTORDER_H
#define PCC_RUNTIME_SIMULATE_LISTORDER_H

#include "runtime/check/ByteMap.h"
#include "runtime/simulate/Script.h"
#include "runtime/simulate/Timeline.h"

namespace pcc::simulate {

/// By run (forEachRun): the turns in which the record begins and is known to be done on `rank`,
/// which is of `index`'s program; `never` of a message that the rank sits out. `bytes` is the map
/// of that program.
std::vector<Span> listSpans(const check::ProgramIndex &index, const check::ByteMap &bytes,
                            const Script &script, int64_t rank);

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_LISTORDER_H
