// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws what `pcc simulate` computes as text: timelines, and the memory of a rank over time.
#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Simulate.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace pcc::cli {

//===-- Gantt.cpp ---------------------------------------------------------------------------===//

// Draws a timeline as text: a row for each device, a column for each interval of time.
//
//   device 0  01..aa2bb.cc
//   device 1   0aa1bb2cc

/// Kind of work that a bar shows.
enum class BarKind { Forward, Backward, BackwardWeight, Other };

/// Returns a digit for a forward, a small letter for a backward, a capital for a weight gradient,
/// and `#` for anything else.
char letterOf(BarKind kind, int64_t microbatch);

/// One letter, drawn from `begin` to `end`.
struct Bar {
  double begin = 0, end = 0;
  char letter = ' ';
};

struct GanttRow {
  std::string name;
  std::vector<Bar> bars; ///< in order, without overlaps
};

/// Prints the time from 0 to `end` in at most `columns` characters, and in no more than the
/// shortest bar needs. Idle time between two bars of a row is drawn as dots.
void printGantt(llvm::raw_ostream &os, llvm::ArrayRef<GanttRow> rows, double end, int columns);

//===-- MemoryProfile.cpp -------------------------------------------------------------------===//

// Draws the memory of a rank over time as text, and lists what fills it at the peak.
//
//       1.900 |                 ##
//       1.583 |            ########
//       1.267 |        ##############
//       0.950 |    ######################
//       0.633 |##############################
//    0.314 MB held

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
