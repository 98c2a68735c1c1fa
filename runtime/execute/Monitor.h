// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells how a training run goes: loss lines, per-rank logs, a progress bar, and the figures of the
// report.

#ifndef PCC_RUNTIME_EXECUTE_MONITOR_H
#define PCC_RUNTIME_EXECUTE_MONITOR_H

#include "runtime/abi/report.pb.h"
#include "runtime/execute/Losses.h"

#include <cstdio>
#include <map>
#include <mutex>

namespace pcc::runtime {

struct MonitorOptions {
  /// A line every so many steps, 0: none of them; and one for the last step.
  int64_t logEvery = 0;
  /// Folder of the per-rank logs `rank_<n>/train.log`; empty: none.
  std::string logDir = {};
  /// Where lines go; null: nowhere.
  std::FILE *out = nullptr;
  /// A bar on stderr.
  bool progressBar = false;
  int64_t stepsPerEpoch = 1;
  int64_t steps = 1;
  /// The ranks first … first+own-1 have logs; `reports` ranks report each step, 0: all.
  int64_t firstRank = 0, ownRanks = 0, reports = 0;
};

class Monitor {
public:
  Monitor(const abi::Executable &executable, MonitorOptions options);
  ~Monitor();

  /// Makes the folders of the logs.
  Status open();

  /// Rank `rank` finished step `step` (from 0) with the loss `value` in its memory. Any rank's
  /// thread; whoever is the last to finish a step prints its line. Not `isTimed`: it was looked at
  /// straight behind the step before, which says nothing of how long it took.
  void add(int64_t rank, int64_t step, double value, bool isTimed = true);

  /// The losses and times of all steps.
  abi::RunReport report() const;

private:
  struct Pending {
    int64_t ranks = 0;
    std::vector<double> values;
    bool isTimed = true;
  };
  /// Whether the step has a line.
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

#endif // PCC_RUNTIME_EXECUTE_MONITOR_H
