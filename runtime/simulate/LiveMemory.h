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

#include "runtime/check/dataflow/ByteMap.h"
#include "runtime/simulate/FlatProgram.h"
#include "runtime/simulate/Timeline.h"

namespace pcc::simulate {

//===-- LiveMemory.cpp ----------------------------------------------------------------------===//

/// Returns the memory of a rank whose instructions run at `spans` (Timeline.spans). `bytes` is the
/// map of `index`'s program.
Memory trackMemory(const check::ProgramIndex &index, const check::ByteMap &bytes,
                   const FlatProgram &flatProgram, const std::vector<Span> &spans);

//===-- ProgramOrder.cpp --------------------------------------------------------------------===//

// The program order of a rank, in turns instead of seconds. Each start and each completion that the
// rank's thread learns of takes one turn. A thread walks through the list and begins each
// instruction in its turn. It learns that an instruction beside COMPUTE is done only by waiting for
// it.
//
//   turn   0   1   2   3   4   5   6
//          [recv x         ]                 awaited by fc
//              [fc_0   ]                     an instruction of COMPUTE
//                              [fc]
//
// The executor takes the same turns (PeakMemoryTracker.h), so the bytes that are live by turns do
// not depend on durations. By seconds, fewer bytes may be live if a message is done before it is
// awaited. More may be live if the device begins a message before a thread would reach it.

/// Lists, by run (forEachRun), the turns in which an instruction begins and is known to be done on
/// `rank`. `never` for a message in which the rank takes no part. `index` and `bytes` belong to the
/// rank's program.
std::vector<Span> spansInProgramOrder(const check::ProgramIndex &index, const check::ByteMap &bytes,
                                      const FlatProgram &flatProgram, int64_t rank);

} // namespace pcc::simulate
