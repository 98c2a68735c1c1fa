// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the checkpoints of a training run. Its ranks agree after a step whether they write one,
// then each rank writes its own blocks, and rank 0 adds the manifest when all have finished.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/Shards.h"
#include "runtime/collective/World.h"
#include "runtime/execute/checkpoint/CheckpointInterval.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pcc::runtime {

/// A message for the user.
using Tell = std::function<void(const std::string &)>;

struct TrainingCheckpointOptions {
  std::string folder;
  CheckpointInterval every = {};
  /// Number of checkpoints that stay; 0: all.
  int64_t keep = 0;
  /// Facts for the manifest.
  std::string pccVersion = {};
  uint64_t seed = 0;
  /// Checkpoint with which the run began; empty: none.
  std::string resumedFrom = {};
  /// Called on the first process with the path of each new checkpoint, and with each failure that
  /// does not end the run.
  Tell written = {}, warn = {};
};

/// The decision of the ranks after a step.
struct AfterStep {
  bool saves = false;
  /// SIGTERM or SIGINT if the run ends; else 0.
  int stopSignal = 0;
};

/// A step that has just ended.
struct StepEnd {
  /// Complete steps and epochs.
  int64_t steps = 0, epochs = 0;
  bool endsEpoch = false, isLast = false;
};

class TrainingCheckpoints {
public:
  /// Makes and locks the folder on the first process. Errors: those of CheckpointFolder::open.
  static Expected<std::shared_ptr<TrainingCheckpoints>>
  open(const abi::Executable &executable, const World &world, TrainingCheckpointOptions options);

  /// Returns the same answer on all ranks; each calls it after each step. Waits for the other ranks
  /// at most four times a second, so a signal takes effect a quarter of a second or one step later.
  Expected<AfterStep> decide(RankExecutor &rank, const StepEnd &end);

  /// Writes the checkpoint after `step` steps. Every rank calls it at the same step. A checkpoint
  /// that cannot be written is a warning, or an error if it `mustSucceed`; older ones stay whole.
  Status save(RankExecutor &rank, int64_t step, const abi::DataPosition &data, bool mustSucceed);

  /// Returns the signal that ended the run, or 0.
  int stopSignal() const { return agreedStop; }

private:
  /// How a rank agrees with the others. Only its own thread uses it.
  struct Agreement {
    int64_t nextStep = 1;           ///< the step after which the ranks agree next
    int64_t lastStep = 0, time = 0; ///< when they last agreed (nowNanoseconds)
    int64_t savesServed = 0;        ///< requests by SIGUSR1
    int64_t lastSave = 0;           ///< nowNanoseconds
  };
  /// How the shard of a rank was written.
  struct Outcome {
    uint64_t bytes = 0, hash = 0;
    Status status;
  };
  TrainingCheckpoints(const abi::Executable &executable, const World &world,
                      TrainingCheckpointOptions options, std::optional<CheckpointFolder> folder);
  Expected<AfterStep> agree(RankExecutor &rank, Agreement &own, int64_t steps);
  std::string unfinishedPath(int64_t step) const;
  Outcome writeShard(RankExecutor &rank, int64_t step) const;
  Status appendBlocks(RankExecutor &rank, ShardWriter &writer, uint32_t shard) const;
  Status gather(RankExecutor &rank);
  Status publish(int64_t step, const abi::DataPosition &data);

  const Placement placement;
  const TrainingCheckpointOptions options;
  const std::optional<CheckpointFolder> folder; ///< on the first process
  const abi::CheckpointManifest layout;
  const int64_t firstRank;
  std::vector<Agreement> agreements; ///< by local rank
  std::vector<Outcome> outcomes;     ///< by rank
  Status begun;                      ///< of the folder; rank 0 sets it
  std::string lastWritten;
  std::atomic<int> agreedStop = 0;
};

} // namespace pcc::runtime
