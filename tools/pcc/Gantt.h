// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A timeline as text: a row for each device, a column for each piece of time.
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

/// What microbatches are worked on for.
enum class BarKind { Forward, Backward, BackwardWeight, Other };

/// Forwards are digits, backwards small letters, weight gradients capitals, anything else `#`.
char letterOf(BarKind kind, int64_t microbatch);

/// What a row shows from `begin` to `end`.
struct Bar {
  double begin = 0, end = 0;
  char letter = ' ';
};

struct GanttRow {
  std::string name;
  std::vector<Bar> bars; ///< in order, none overlapping
};

/// No more than `columns` characters for the time from 0 to `end`, and no more than the bars need
/// to be told apart. What is idle between two bars of a row is a dot.
void printGantt(llvm::raw_ostream &os, llvm::ArrayRef<GanttRow> rows, double end, int columns);

} // namespace pcc::cli
