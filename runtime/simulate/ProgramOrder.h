// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program order of a rank, in turns instead of seconds. A thread walks through the list and
// begins each instruction in its turn. It learns that an instruction beside COMPUTE is done only by
// waiting for it.
//
//   turn   0   1   2   3   4   5   6
//          [recv x         ]                 awaited by fc
//              [fc_0   ]                     an instruction of COMPUTE
//                              [fc]
//
// A run takes the same turns (runtime/execute), so the bytes that are live by turns do not depend
// on durations. By seconds, fewer bytes may be live if a message is done before it is awaited. More
// may be live if the device begins a message before a thread would reach it.

#pragma once

#include "runtime/check/ByteMap.h"
#include "runtime/simulate/FlatProgram.h"
#include "runtime/simulate/Timeline.h"

namespace pcc::simulate {

/// Lists, by run (forEachRun), the turns in which an instruction begins and is known to be done on
/// `rank`. `never` for a message in which the rank takes no part. `index` and `bytes` belong to the
/// rank's program.
std::vector<Span> spansInProgramOrder(const check::ProgramIndex &index, const check::ByteMap &bytes,
                                      const FlatProgram &flatProgram, int64_t rank);

} // namespace pcc::simulate
