// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the progress of a training run: loss lines, per-rank logs, a progress bar, and the
// numbers of the final report.

#pragma once

#include "runtime/abi/report.pb.h"
#include "runtime/execute/monitor/LossReader.h"

#include <cstdio>
#include <map>
#include <mutex>

namespace pcc::runtime {

struct MonitorOptions {
  /// Steps between loss lines; 0: no lines in between. The last step always has a line.
  int64_t logEvery = 0;
  /// Folder of the per-rank logs `rank_<n>/train.log`; empty: none.
  std::string logDir = {};
  /// Stream for the loss lines; null: none.
  std::FILE *out = nullptr;
  /// Draw a progress bar on stderr.
  bool progressBar = false;
  int64_t stepsPerEpoch = 1;
  /// The run has the steps start … steps-1, numbered from the first step of the training. Step n is
  /// batch number n + shift of all epochs.
  int64_t steps = 1, start = 0, shift = 0;
  /// Ranks firstRank … firstRank+ownRanks-1 have logs. `reports` ranks report each step; 0: all.
  int64_t firstRank = 0, ownRanks = 0, reports = 0;
};

class Monitor {
public:
  Monitor(const abi::Executable &executable, MonitorOptions options);
  ~Monitor();

  /// Creates the folders and files of the logs. A run that continues appends to them.
  Status open();

  /// Records that `rank` finished step `step` (from 0) with the loss `value` in its memory. Any
  /// rank's thread may call it; the last rank to finish a step prints its line. `isTimed` is false
  /// if the loss was read directly after that of the previous step: then the interval says nothing
  /// about the step's duration.
  void add(int64_t rank, int64_t step, double value, bool isTimed = true);

  /// Returns the losses and times of all steps.
  abi::RunReport report() const;

private:
  struct Pending {
    int64_t ranks = 0;
    std::vector<double> values;
    bool isTimed = true;
  };
  /// Returns whether the step has a line.
  bool isDue(int64_t step) const;
  void logOwn(int64_t rank, int64_t step, double value);
  void complete(int64_t step, const Pending &entry);
  void drawBar(int64_t step, double loss);
  std::string line(int64_t step, double loss) const;

  const LossReader losses;
  const MonitorOptions options;
  const int64_t ranks, reports;
  std::vector<std::FILE *> logs;

  std::mutex mutex;
  std::map<int64_t, Pending> pending;
  std::vector<double> stepLosses, stepSeconds;
  int64_t lastStepEnd, lastDraw = 0;
};

} // namespace pcc::runtime
