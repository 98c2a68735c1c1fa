// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes of a rank's memory over time. A piece of TEMPORARY memory (ByteMap.h) becomes live
// when an instruction begins to write it without reading it. It stays live to the end of the last
// instruction that reads the value.
//
//   ring entry    written by forward[2,0] from 3 to 4, read by backward[2,0] from 9 to 11
//                 live from 3 to 11
//   never read    live while the writing instruction runs

#pragma once

#include "runtime/check/ByteMap.h"
#include "runtime/simulate/FlatProgram.h"
#include "runtime/simulate/Timeline.h"

namespace pcc::simulate {

/// Returns the memory of a rank whose instructions run at `spans` (Timeline.spans). `bytes` is the
/// map of `index`'s program.
Memory trackMemory(const check::ProgramIndex &index, const check::ByteMap &bytes,
                   const FlatProgram &flatProgram, const std::vector<Span> &spans);

} // namespace pcc::simulate
