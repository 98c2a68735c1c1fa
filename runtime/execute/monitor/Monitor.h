// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the progress of a training run: loss lines, per-rank logs, records of metrics, a line of
// progress, and the numbers of the final report.

#pragma once

#include "runtime/abi/report.pb.h"
#include "runtime/base/Base.h"
#include "runtime/execute/monitor/LossReader.h"
#include "runtime/execute/monitor/StateReader.h"
#include "runtime/execute/monitor/files/MetricRecord.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace pcc::runtime {

//===-- ProgressLine.cpp ----------------------------------------------------------------------===//

// One line on a terminal that shows how far a training is:
//
//   [=========>          ] 460/1000 epoch 10, loss 0.0312, 2078 samples/s, 0:08 left

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

//===-- Monitor.cpp ---------------------------------------------------------------------------===//

struct MonitorOptions {
  /// Steps between loss lines; 0: no lines in between. The last step always has a line.
  int64_t logEvery = 0;
  /// Folder of the per-rank logs `rank_<n>/train.log`; empty: none.
  std::string logDir = {};
  /// Stream for the loss lines; null: none.
  std::FILE *out = nullptr;
  /// Terminal on which the progress line is drawn; null: none.
  std::FILE *terminal = nullptr;
  /// Destinations of a record for each step.
  std::vector<std::shared_ptr<MetricSink>> sinks = {};
  /// Rows of a step over all ranks.
  int64_t batchRows = 0;
  /// Tokens of a row; 0: rows are not windows of a sequence.
  int64_t tokensOfRow = 0;
  int64_t stepsPerEpoch = 1;
  /// The run has the steps start … steps-1, numbered from the first step of the training. Step n is
  /// batch number n + shift of all epochs.
  int64_t steps = 1, start = 0, shift = 0;
  /// The shift of the steps up to `start`.
  int64_t shiftBefore = 0;
  /// Ranks firstRank … firstRank+ownRanks-1 have logs. `reports` ranks report each step; 0: all.
  int64_t firstRank = 0, ownRanks = 0, reports = 0;
};

/// Seconds of a step in which a rank could not compute.
struct StepWaits {
  /// It had to wait for its rows.
  double data = 0;
  /// It waited for transfers from other ranks; absent on a GPU, whose own queue waits.
  std::optional<double> communication = {};
};

/// Values of a step that a rank reports.
struct StepValues {
  /// The loss in the rank's memory.
  double loss = 0;
  /// False if the loss was read directly after that of the previous step: then the interval says
  /// nothing about the step's duration.
  bool isTimed = true;
  StepWaits waits = {};
  MemoryUse memory = {};
  /// States of the training after the step, if the rank holds them.
  NamedNumbers states = {};
};

class Monitor {
public:
  Monitor(const abi::Executable &executable, MonitorOptions options);
  ~Monitor();

  /// Creates the folders and files of the logs, and opens the sinks. A run that continues appends
  /// to them, after the lines of the steps before it.
  Status open();

  /// Records that `rank` finished step `step` (from 0). Any rank's thread may call it; the last
  /// rank to finish a step prints its line.
  void add(int64_t rank, int64_t step, const StepValues &values);

  /// Prints and records the metrics of an evaluation after step `step` (from 0), by name.
  void addEvaluation(int64_t step, const std::map<std::string, double> &values);

  /// Prints a line beside the loss lines.
  void print(const std::string &line);

  /// Returns "epoch: 2 step: 14" for a step from 0.
  std::string position(int64_t step) const;

  /// Starts the time of the next step anew: work between two steps, such as a checkpoint, does not
  /// count.
  void restartTimer();

  /// Returns the losses and times of all steps.
  abi::RunReport report() const;

private:
  struct Pending {
    int64_t ranks = 0;
    std::vector<double> losses;
    bool isTimed = true;
    /// The maxima over the ranks that have reported.
    StepWaits waits;
    MemoryUse memory;
    /// All ranks that hold the states have the same.
    NamedNumbers states;
  };
  Status openLog(int64_t rank);
  int64_t stepOf(std::string_view line) const;
  /// Returns whether the step has a line.
  bool isDue(int64_t step) const;
  void logOwn(int64_t rank, int64_t step, double value);
  void complete(int64_t step, const Pending &entry);
  void writeRecord(int64_t step, const Pending &entry, double loss, double seconds);
  void printSkipped(const NamedNumbers &states);
  int64_t epochOf(int64_t step) const { return (step + options.shift) / options.stepsPerEpoch + 1; }
  std::string line(int64_t step, double loss) const;
  void printLine(const std::string &line);

  const LossReader losses;
  const MonitorOptions options;
  const int64_t ranks, reports;
  const double peakSeconds; ///< of a step, at the peak rates of the devices; 0: unknown
  std::vector<std::FILE *> logs;

  std::mutex mutex;
  std::map<int64_t, Pending> pending;
  std::vector<double> stepLosses, stepSeconds;
  int64_t lastStepEnd;
  ProgressLine progress;
};

} // namespace pcc::runtime
