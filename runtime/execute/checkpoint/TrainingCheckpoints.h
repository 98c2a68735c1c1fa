// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the checkpoints of a training run, and reads the one with which it begins. Training waits
// until each rank has a copy of its blocks in host memory. Then each rank writes its own blocks
// beside training, and rank 0 adds the manifest when all have finished.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/collective/World.h"
#include "runtime/execute/checkpoint/CheckpointSchedule.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

//===-- BackgroundTask.cpp --------------------------------------------------------------------===//

// Writing that goes on beside training.

/// A function on a thread of its own. Nobody has to wait for it: the thread may outlive the task
/// and ends with the process. So the function must own whatever it uses.
class BackgroundTask {
public:
  /// Starts the function. Without another thread it runs at once.
  static std::shared_ptr<BackgroundTask> start(std::function<Status()> body);

  bool isDone() const;

  /// Waits for the end and returns the function's status. Beats while the function does
  /// (Heartbeat.h), so the caller's work moves on with it.
  Status wait();

private:
  void run(const std::function<Status()> &body);

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> result;
  std::atomic<int64_t> beats = 0;
};

//===-- RankShard.cpp -------------------------------------------------------------------------===//

// The shard that one rank writes of a checkpoint.

/// Writes the shard of one rank, from its memory or from a copy. The buffer of each block is found
/// once. Without copies, the blocks of a GPU are in host memory one after the other.
class RankShard {
public:
  /// `layout` is the manifest by layOutCheckpoint.
  RankShard(std::shared_ptr<const abi::CheckpointManifest> layout, const RankExecutor &rank);

  /// Copies all blocks to memory of this shard. write() then needs the rank no longer. The memory
  /// stays for the next copy, since new pages take several times the seconds of the copy.
  Status copyBlocks(const RankExecutor &rank);

  /// Gives up the memory of the copies.
  void dropCopies() { copies.clear(); }

  /// Write the shard to `folder`, from the copies, or directly from the rank. Set its size and
  /// hash. A rank without a shard writes nothing.
  Status write(const std::string &folder, abi::CheckpointShard &shard) const;
  Status write(const std::string &folder, abi::CheckpointShard &shard,
               const RankExecutor &rank) const;

private:
  using Bytes = std::vector<std::byte>;
  template <typename BytesOf>
  Status writeBlocks(const std::string &folder, abi::CheckpointShard &shard,
                     BytesOf &&bytesOf) const;
  Expected<std::span<const std::byte>> read(const RankExecutor &rank, size_t block,
                                            Bytes &copy) const;

  struct Block {
    uint32_t buffer;
    size_t bytes;
  };
  std::shared_ptr<const abi::CheckpointManifest> layout;
  int number; ///< of the shard; -1: none
  std::vector<Block> blocks;
  std::vector<Bytes> copies; ///< by block, after copyBlocks()
};

//===-- TrainingCheckpoints.cpp ---------------------------------------------------------------===//

/// A message for the user.
using Tell = std::function<void(const std::string &)>;

struct TrainingCheckpointOptions {
  std::string folder;
  CheckpointInterval every = {};
  /// Number of checkpoints that stay; 0: all.
  int64_t keep = 0;
  /// Whether training waits until a checkpoint is written. Then no rank needs a copy of its blocks.
  bool waits = false;
  /// Facts for the manifest.
  std::string pccVersion = {};
  uint64_t seed = 0;
  /// Checkpoint with which the run began; empty: none.
  std::string resumedFrom = {};
  /// Called on the first process, by any thread, with the path of each new checkpoint, and with
  /// each failure that does not end the run.
  Tell written = {}, warn = {};
};

/// Facts of a step for its checkpoint.
struct CheckpointFacts {
  abi::DataPosition data;
  /// Absent if the run does not evaluate.
  std::optional<abi::EvaluationState> evaluation = {};
  /// Whether the checkpoint becomes the best one.
  bool isBest = false;
};

/// Why a training ended before its last step, and where it can go on.
struct Rollback {
  /// Number of the step, from 0, whose loss or parameters were not finite.
  int64_t step = 0;
  /// The latest checkpoint before it; empty: there is none.
  std::string checkpoint;
};

class TrainingCheckpoints : public std::enable_shared_from_this<TrainingCheckpoints> {
public:
  /// Makes and locks the folder on the first process. Errors: those of CheckpointFolder::open.
  static Expected<std::shared_ptr<TrainingCheckpoints>>
  open(const abi::Executable &executable, const World &world, TrainingCheckpointOptions options);

  /// Returns the decision of all ranks after a step (CheckpointSchedule).
  Expected<AfterStep> decide(RankExecutor &rank, const StepEnd &end);

  /// Starts to write the checkpoint after `step` steps, when an earlier one is written. Every rank
  /// calls it at the same step. If it is the last one of the run, it is written on return, and a
  /// failure is an error; otherwise a failure is a warning. Older checkpoints stay whole.
  Status save(RankExecutor &rank, int64_t step, CheckpointFacts facts, bool isLast);

  /// Publishes the checkpoint that all ranks have written, if there is one. Every rank calls it.
  Status finish(RankExecutor &rank);

  /// Returns whether the training ends because any rank has seen numbers that are not finite.
  /// `step` is the first step with such numbers that the rank has seen, if it has. Every rank calls
  /// it at the same step. When it returns true, all checkpoints are written.
  Expected<bool> rollsBack(RankExecutor &rank, std::optional<int64_t> step);

  /// Returns why the training ended if it was for rollsBack(), and forgets it: training goes on.
  /// Called while no rank runs a step.
  std::optional<Rollback> takeRollback();

  /// Returns the signal that ended the run, or 0.
  int stopSignal() const { return schedule.stopSignal(); }

private:
  /// How the shard of a rank was written.
  struct Outcome {
    uint64_t bytes = 0, hash = 0;
    Status status;
  };
  /// A checkpoint that a rank has not finished.
  struct Unfinished {
    int64_t step = 0;
    CheckpointFacts facts;
    std::shared_ptr<BackgroundTask> writing; ///< null: written already
    std::shared_ptr<Outcome> outcome;        ///< complete when `writing` is done
  };
  TrainingCheckpoints(const abi::Executable &executable, const World &world,
                      TrainingCheckpointOptions options, std::optional<CheckpointFolder> folder);
  std::optional<Unfinished> &unfinishedOf(const RankExecutor &rank);
  Expected<Unfinished> start(RankExecutor &rank, int64_t step, CheckpointFacts facts, bool isLast);
  Status gather(RankExecutor &rank);
  Status publish(const abi::CheckpointManifest &manifest, bool isBest);
  Status giveUp(int64_t step, Status status, bool isLast);
  Status finish(RankExecutor &rank, bool isLast);
  Status finishAll(RankExecutor &rank);

  const Placement placement;
  const TrainingCheckpointOptions options;
  const std::optional<CheckpointFolder> folder; ///< on the first process
  const std::shared_ptr<const abi::CheckpointManifest> layout;
  const int64_t firstRank;
  CheckpointSchedule schedule;
  std::vector<std::shared_ptr<RankShard>> shards;    ///< by local rank, from the first save()
  std::vector<std::optional<Unfinished>> unfinished; ///< by local rank
  std::vector<Outcome> outcomes;                     ///< by rank
  std::optional<Rollback> rollback;                  ///< set by the first rank of the process
  // Only rank 0 uses the following, and the task only what it may write.
  Status begun;                               ///< whether the folder could be made
  std::shared_ptr<BackgroundTask> publishing; ///< of the checkpoint before
  std::string lastWritten;                    ///< set by `publishing`
  int64_t lastWrittenStep = -1;               ///< of this object's checkpoints; -1: none
};

//===-- ResumePoint.cpp -----------------------------------------------------------------------===//

// The checkpoint with which a run begins. Any layout of the same model can read it.

struct ResumePoint {
  std::string path;
  abi::CheckpointManifest manifest;
};

/// Returns the checkpoint that `--resume` names, null for the beginning. `tell` gets a remark on
/// unfinished checkpoints that are newer, and if `latest` finds none. Errors: no complete
/// checkpoint; a damaged manifest; a program with another model (matchModel).
Expected<std::shared_ptr<const ResumePoint>>
findResumePoint(const abi::CheckpointConfig &config, const abi::Executable &executable,
                const std::function<void(const std::string &)> &tell);

/// Checks the shards and sets the rank's parameters to their blocks. Every rank calls it at the
/// same time: the ranks share the check, and nothing is set before all shards are known to be
/// whole. Errors name the file.
Status loadCheckpoint(RankExecutor &rank, const ResumePoint &point);

} // namespace pcc::runtime
