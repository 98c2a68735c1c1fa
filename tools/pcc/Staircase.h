// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a rank over time as text, and what fills it at the peak.
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

/// The timeline of the ranks that need most memory, by their plan; of several the first.
const simulate::Timeline &findFullest(const simulate::Simulation &simulation);

/// The level of live TEMPORARY bytes from 0 to `end` seconds, above the bytes that are held. A
/// column shows the most of its time.
void printStaircase(llvm::raw_ostream &os, const simulate::Memory &memory, double end, int columns);

/// The largest tensors that are live at the peak, each by its op, section and microbatch.
void printPeak(llvm::raw_ostream &os, const abi::Executable &executable,
               const simulate::Simulation &simulation, const simulate::Timeline &timeline);

/// The largest of them in one line: `'/h.0/gelu' of forward_backward[0] (1.049 MB), …`.
std::string describePeak(const abi::Executable &executable, const simulate::Simulation &simulation,
                         const simulate::Timeline &timeline);

/// `[[seconds, bytes], …]`: from when on so many TEMPORARY bytes are live.
llvm::json::Value levelsToJson(const simulate::Memory &memory);

/// `[{"op", "section", "microbatch", "copy", "bytes"}]`, all that is live at the peak, largest
/// first.
llvm::json::Value peakToJson(const abi::Executable &executable,
                             const simulate::Simulation &simulation,
                             const simulate::Timeline &timeline);

} // namespace pcc::cli
