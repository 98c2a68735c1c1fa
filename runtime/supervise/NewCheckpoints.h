// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the checkpoints that a supervised run has written from those that were there before.

#pragma once

#include "runtime/checkpoint/Folder.h"

#include <map>
#include <optional>
#include <string>

namespace pcc::runtime {

class NewCheckpoints {
public:
  /// Remembers the complete checkpoints of the folder.
  explicit NewCheckpoints(std::string folder);

  /// Returns the checkpoint of the highest step that was written since, if there is one.
  std::optional<CheckpointEntry> latest() const;

private:
  /// Distinguishes a manifest from a later one of the same name.
  struct ManifestId {
    uint64_t inode = 0;
    int64_t nanoseconds = 0; ///< when it was written
    bool operator==(const ManifestId &) const = default;
  };
  static ManifestId idOf(const CheckpointEntry &entry);

  const std::string folder;
  std::map<std::string, ManifestId> before; ///< by path
};

} // namespace pcc::runtime
