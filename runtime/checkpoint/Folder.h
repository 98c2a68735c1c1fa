// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of a run's checkpoints:
//
//   step-00000100         a complete checkpoint after 100 steps
//   step-00000200.part    an unfinished one: it is being written, or its writer was killed
//   best                  a link to the one with the lowest evaluated loss
//
// A checkpoint is written under the second name and renamed when all of it is on the disk.

#pragma once

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// A checkpoint in a folder.
struct CheckpointEntry {
  std::string path;
  int64_t step = 0;
  bool isComplete = false;
};

/// Returns the checkpoints of a folder, the latest last, with unfinished ones. A folder that does
/// not exist has none. The error names the folder.
Expected<std::vector<CheckpointEntry>> listCheckpoints(const std::string &folder);

/// Returns the checkpoint that `path` names: the folder itself if it has a manifest, else the
/// latest complete checkpoint in it. BadInput if there is none.
Expected<std::string> findCheckpoint(const std::string &path);

/// Makes, publishes and removes the checkpoints of a folder. One process of a run uses it.
class CheckpointFolder {
public:
  /// Makes the folder, and locks it. Errors: it cannot be made or written; another run uses it.
  static Expected<CheckpointFolder> open(const std::string &path);
  ~CheckpointFolder();
  CheckpointFolder(CheckpointFolder &&other) noexcept;
  CheckpointFolder &operator=(CheckpointFolder &&) = delete;

  /// Return the name under which the checkpoint after `step` steps is written, and the one under
  /// which it then appears.
  static std::string unfinishedPath(const std::string &folder, int64_t step);
  static std::string completePath(const std::string &folder, int64_t step);

  /// Removes unfinished checkpoints, and makes the folder of the one after `step` steps.
  Status begin(int64_t step) const;
  /// Gives the finished checkpoint its name; a complete one of the same step is replaced.
  Status publish(int64_t step) const;
  /// Removes a checkpoint that could not be finished. Failures do not matter.
  void abandon(int64_t step) const;
  /// Lets the link `best` name the complete checkpoint after `step` steps.
  Status markBest(int64_t step) const;
  /// Removes the complete checkpoints of the lowest steps while there are more than `keep` (0: all
  /// stay). The one after `step` steps stays, and so do those of later steps and the best one.
  Status removeOld(int64_t keep, int64_t step) const;

private:
  CheckpointFolder(std::string path, int lock) : path(std::move(path)), lock(lock) {}

  std::string path;
  int lock; ///< descriptor of the folder; -1: moved from
};

} // namespace pcc::runtime
