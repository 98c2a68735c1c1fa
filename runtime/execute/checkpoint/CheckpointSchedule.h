// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides after each step whether a checkpoint is written. All ranks of all processes decide the
// same.

#pragma once

#include "runtime/execute/rank/RankExecutor.h"

#include <atomic>
#include <string>
#include <vector>

namespace pcc::runtime {

/// The interval between two checkpoints in one unit; the others are 0. All 0: none in between.
struct CheckpointInterval {
  int64_t steps = 0, epochs = 0, minutes = 0;
};

/// Parses the value of a flag: a number with the unit steps (default), epochs or, if it takes them,
/// min. An empty text is no interval. BadUsage names the flag.
Expected<CheckpointInterval> parseInterval(const char *flag, const std::string &text,
                                           bool takesMinutes);

/// Parses the value of `--checkpoint-every`: "100", "100steps", "2epochs" or "10min"; an empty text
/// is no interval. BadUsage names the flag.
Expected<CheckpointInterval> parseCheckpointInterval(const std::string &text);

/// A step that has just ended.
struct StepEnd {
  /// Complete steps and epochs.
  int64_t steps = 0, epochs = 0;
  bool endsEpoch = false, isLast = false;
};

/// The decision of the ranks after a step.
struct AfterStep {
  /// Whether a checkpoint is written.
  bool saves = false;
  /// Whether all ranks have written the earlier checkpoint, so that it can be published.
  bool finishes = false;
  /// SIGTERM or SIGINT if the run ends; else 0.
  int stopSignal = 0;
  /// Whether the step has the lowest evaluated loss so far, and whether the run ends because there
  /// was no lower one for long (PeriodicEvaluation).
  bool isBest = false, endsEarly = false;
  /// Whether the ranks have agreed on anything but what follows from the step itself.
  bool agrees = false;

  bool endsRun() const { return stopSignal != 0 || endsEarly; }
};

class CheckpointSchedule {
public:
  /// The process has the ranks `firstRank` … `firstRank + ownRanks` - 1.
  CheckpointSchedule(const CheckpointInterval &every, int64_t firstRank, int64_t ownRanks);

  /// Returns the same decision on all ranks; each calls it after each step. `isWriting`: whether
  /// the rank still writes an earlier checkpoint. Waits for the other ranks at most four times a
  /// second, or every 1000 steps, so a signal takes effect a quarter of a second or one step later.
  Expected<AfterStep> decide(RankExecutor &rank, const StepEnd &end, bool isWriting);

  /// Lets the ranks agree after the next step, wherever it is. Called while no rank runs a step.
  void restart();

  /// Returns the signal that ends the run, or 0.
  int stopSignal() const { return agreedStop; }

private:
  /// How a rank agrees with the others. Only its own thread uses it.
  struct Agreement {
    int64_t nextStep = 1;    ///< the step after which the ranks agree next
    int64_t lastStep = -1;   ///< the step after which they agreed last; -1: none
    int64_t time = 0;        ///< when that was (nowNanoseconds)
    int64_t savesServed = 0; ///< requests by SIGUSR1
    int64_t lastSave = 0;    ///< nowNanoseconds
  };
  Expected<AfterStep> agree(RankExecutor &rank, Agreement &own, int64_t steps, bool isWriting);

  const CheckpointInterval every;
  const int64_t firstRank;
  std::vector<Agreement> agreements; ///< by local rank
  std::atomic<int> agreedStop = 0;
};

} // namespace pcc::runtime
