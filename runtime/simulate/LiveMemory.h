// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes of a rank's memory are live, and when. A piece of TEMPORARY memory (ByteMap.h) is
// live from the beginning of a record that writes it, and does not read it, to the end of the last
// record that reads what was written.
//
//   copy of a ring    written by forward[2,0] from 3 to 4, read by backward[2,0] from 9 to 11
//                     live from 3 to 11
//   never read        live while the record runs that writes it

#ifndef PCC_RUNTIME_SIMULATE_LIVEMEMORY_H
#define PCC_RUNTIME_SIMULATE_LIVEMEMORY_H

#include "runtime/check/ByteMap.h"
#include "runtime/simulate/Script.h"
#include "runtime/simulate/Timeline.h"

namespace pcc::simulate {

/// The memory of a rank whose records run at `spans` (Timeline.spans). `bytes` is the map of
/// `index`'s program.
Memory followMemory(const check::ProgramIndex &index, const check::ByteMap &bytes,
                    const Script &script, const std::vector<Span> &spans);

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_LIVEMEMORY_H
