// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All rows share one scale: the shortest bar has one column, unless the total width does not permit
// it. Bars are rounded to columns, so in a narrow picture the shortest ones vanish.
#include "tools/pcc/report/SimulationReports.h"

#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace pcc::cli;

char pcc::cli::letterOf(BarKind kind, int64_t microbatch) {
  switch (kind) {
  case BarKind::Forward:
    return char('0' + microbatch % 10);
  case BarKind::Backward:
    return char('a' + microbatch % 26);
  case BarKind::BackwardWeight:
    return char('A' + microbatch % 26);
  case BarKind::Other:
    return '#';
  }
  return ' ';
}

/// Returns the columns per unit of time: the shortest bar has one column, unless that is too wide.
static double chooseScale(llvm::ArrayRef<GanttRow> rows, double end, int columns) {
  double shortest = end;
  for (const GanttRow &row : rows)
    for (const Bar &bar : row.bars)
      if (bar.end > bar.begin)
        shortest = std::min(shortest, bar.end - bar.begin);
  return std::min(1 / shortest, columns / end);
}

void pcc::cli::printGantt(llvm::raw_ostream &os, llvm::ArrayRef<GanttRow> rows, double end,
                          int columns) {
  if (end <= 0)
    return;
  double scale = chooseScale(rows, end, columns);
  size_t widest = 0;
  for (const GanttRow &row : rows)
    widest = std::max(widest, row.name.size());
  auto columnOf = [&](double time) { return size_t(std::llround(time * scale)); };
  for (const GanttRow &row : rows) {
    std::string line;
    for (const Bar &bar : row.bars) {
      size_t begin = columnOf(bar.begin), stop = columnOf(bar.end);
      line.resize(std::max(line.size(), begin), line.empty() ? ' ' : '.');
      line.resize(std::max(line.size(), stop), bar.letter);
    }
    os << row.name << std::string(widest - row.name.size() + 2, ' ') << line << "\n";
  }
}
