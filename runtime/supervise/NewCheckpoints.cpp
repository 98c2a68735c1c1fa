// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/supervise/NewCheckpoints.h"

#include "runtime/checkpoint/Manifest.h"

#include <sys/stat.h>
#include <utility>
#include <vector>

namespace pcc::runtime {
namespace {

/// Returns the complete checkpoints, the latest last; none if the folder cannot be read.
std::vector<CheckpointEntry> completeIn(const std::string &folder) {
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(folder);
  if (!entries)
    return {};
  std::erase_if(*entries, [](const CheckpointEntry &entry) { return !entry.isComplete; });
  return std::move(*entries);
}

} // namespace

NewCheckpoints::ManifestId NewCheckpoints::idOf(const CheckpointEntry &entry) {
  struct stat info;
  if (stat(fmt::format("{}/{}", entry.path, manifestName).c_str(), &info) != 0)
    return {};
  return {uint64_t(info.st_ino),
          int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
}

NewCheckpoints::NewCheckpoints(std::string folder) : folder(std::move(folder)) {
  for (const CheckpointEntry &entry : completeIn(this->folder))
    before[entry.path] = idOf(entry);
}

std::optional<CheckpointEntry> NewCheckpoints::latest() const {
  std::optional<CheckpointEntry> found;
  for (CheckpointEntry &entry : completeIn(folder))
    if (auto old = before.find(entry.path); old == before.end() || old->second != idOf(entry))
      found = std::move(entry);
  return found;
}

} // namespace pcc::runtime
