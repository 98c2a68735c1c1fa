// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a timeline as text: a row for each device, a column for each interval of time.
//
//   device 0  01..aa2bb.cc
//   device 1   0aa1bb2cc
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace pcc::cli {

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

} // namespace pcc::cli
