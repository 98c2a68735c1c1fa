// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line on a terminal that shows how far a training is:
//
//   [=========>          ] 460/1000 epoch 10, loss 0.0312, 2078 samples/s, 0:08 left

#pragma once

#include "runtime/base/Base.h"

#include <cstdio>
#include <string>

namespace pcc::runtime {

/// Numbers that the line shows.
struct ProgressValues {
  /// Complete steps, and the number of steps at the end.
  int64_t step = 0, steps = 1;
  int64_t epoch = 1;
  double loss = 0;
  bool hasLoss = true;
  /// 0: not known yet.
  double samplesPerSecond = 0;
  /// Seconds to the end; negative: not known yet.
  double secondsLeft = -1;
};

/// Returns the line, of at most `columns` characters. `isColored`: the bar is green, by codes that
/// take no column.
std::string progressLineOf(const ProgressValues &values, int columns, bool isColored);

class ProgressLine {
public:
  /// Draws on the stream, a terminal; null: draws nothing. The environment decides about colors:
  /// none with a NO_COLOR that is not empty. On a terminal that is "dumb" nothing is drawn.
  ProgressLine(std::FILE *terminal, int64_t start, int64_t steps, int64_t batchRows);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;

  /// Draws the line after `step` complete steps, at most ten times a second.
  void draw(int64_t step, int64_t epoch, double loss, bool hasLoss);
  /// Removes the line, for other output.
  void clear();

private:
  std::FILE *const terminal;
  const bool isColored;
  const int64_t start, steps, batchRows;
  int64_t firstStepEnd = 0, lastDraw = 0; ///< nowNanoseconds
};

} // namespace pcc::runtime
