// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the memory of a rank over time as text, and lists what fills it at the peak.
//
//       1.900 |                 ##
//       1.583 |            ########
//       1.267 |        ##############
//       0.950 |    ######################
//       0.633 |##############################
//    0.314 MB held
#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Simulate.h"
#include "llvm/Support/JSON.h"

namespace llvm {
class raw_ostream;
}

namespace pcc::cli {

/// Draws the live TEMPORARY bytes from 0 to `end` seconds, above the bytes that are held. A column
/// shows the maximum of its time.
void printMemoryProfile(llvm::raw_ostream &os, const simulate::Memory &memory, double end,
                        int columns);

/// Prints the largest tensors that are live at the peak, each by its op, section and microbatch.
void printPeak(llvm::raw_ostream &os, const abi::Executable &executable,
               const simulate::Simulation &simulation, const simulate::Timeline &timeline);

/// Returns `[[seconds, bytes], …]`: the live TEMPORARY bytes from each time on.
llvm::json::Value levelsToJson(const simulate::Memory &memory);

/// Returns `[{"op", "section", "microbatch", "copy", "bytes"}]`: all tensors that are live at the
/// peak, largest first.
llvm::json::Value peakToJson(const abi::Executable &executable,
                             const simulate::Simulation &simulation,
                             const simulate::Timeline &timeline);

} // namespace pcc::cli
