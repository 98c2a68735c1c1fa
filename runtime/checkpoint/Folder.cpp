// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name is a step if it is "step-" and digits. A checkpoint without a manifest counts as
// unfinished, whatever its name: whoever removes a checkpoint removes its manifest first.

#include "runtime/checkpoint/Folder.h"

#include "runtime/abi/files/WholeFile.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/Manifest.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace pcc::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "step-", unfinished = ".part", best = "/best";

std::string systemError() { return std::strerror(errno); }

bool hasManifest(const std::string &folder) { return fileExists(folder + "/" + manifestName); }

/// Returns the step of a checkpoint's name without its ending.
std::optional<int64_t> stepOf(std::string_view name) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  int64_t step = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0)
    return std::nullopt;
  return step;
}

std::optional<CheckpointEntry> entryOf(const std::string &path) {
  std::string name = fs::path(path).filename().string();
  bool isPart = name.ends_with(unfinished);
  if (isPart)
    name.resize(name.size() - unfinished.size());
  std::optional<int64_t> step = stepOf(name);
  if (!step || !isFolder(path))
    return std::nullopt;
  return CheckpointEntry{path, *step, !isPart && hasManifest(path)};
}

/// Removes a checkpoint, its manifest first: what is left of it is not complete.
Status removeCheckpoint(const std::string &path) {
  std::error_code error;
  fs::remove(path + "/" + manifestName, error);
  if (!error)
    fs::remove_all(path, error);
  return error ? Status::badInput(fmt::format("{}: cannot remove: {}", path, error.message()))
               : Status();
}

} // namespace

Expected<std::vector<CheckpointEntry>> listCheckpoints(const std::string &folder) {
  std::vector<CheckpointEntry> entries;
  std::error_code error;
  if (!isFolder(folder) && !fileExists(folder))
    return entries;
  fs::directory_iterator entry(folder, error), end;
  while (!error && entry != end) {
    if (std::optional<CheckpointEntry> found = entryOf(entry->path().string()))
      entries.push_back(std::move(*found));
    entry.increment(error);
  }
  if (error)
    return Status::badInput(fmt::format("{}: cannot list the folder: {}", folder, error.message()));
  std::ranges::sort(entries, [](const CheckpointEntry &a, const CheckpointEntry &b) {
    return std::pair(a.step, a.isComplete) < std::pair(b.step, b.isComplete);
  });
  return entries;
}

Expected<std::string> findCheckpoint(const std::string &path) {
  if (hasManifest(path) && !path.ends_with(unfinished))
    return path;
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(path);
  if (!entries)
    return entries.status();
  auto complete = std::ranges::find_if(entries->rbegin(), entries->rend(),
                                       [](const CheckpointEntry &own) { return own.isComplete; });
  if (complete == entries->rend())
    return Status::badInput(
        fmt::format("{}: expected a complete checkpoint, or a folder with one, got {}", path,
                    fileExists(path) ? fmt::format("{} unfinished ones", entries->size())
                                     : std::string("no such folder")));
  return complete->path;
}

Expected<CheckpointFolder> CheckpointFolder::open(const std::string &path) {
  if (Status status = makeFolder(path); !status.ok())
    return status;
  int lock = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || access(path.c_str(), W_OK | X_OK) != 0) {
    std::string reason = systemError();
    if (lock >= 0)
      close(lock);
    return Status::badInput(fmt::format("{}: cannot write: {}", path, reason));
  }
  // A file system without locks keeps runs apart by nothing.
  if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock);
    return Status::badInput(
        fmt::format("{}: another run writes its checkpoints there; give each run a folder of its "
                    "own",
                    path));
  }
  return CheckpointFolder(path, lock);
}

CheckpointFolder::~CheckpointFolder() {
  if (lock >= 0)
    close(lock);
}

CheckpointFolder::CheckpointFolder(CheckpointFolder &&other) noexcept
    : path(std::move(other.path)), lock(std::exchange(other.lock, -1)) {}

static std::string pathOfStep(const std::string &folder, int64_t step) {
  return fmt::format("{}/{}{:08}", folder, prefix, step);
}

std::string CheckpointFolder::unfinishedPath(const std::string &folder, int64_t step) {
  return pathOfStep(folder, step) + std::string(unfinished);
}

std::string CheckpointFolder::completePath(const std::string &folder, int64_t step) {
  return pathOfStep(folder, step);
}

Status CheckpointFolder::begin(int64_t step) const {
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(path);
  if (!entries)
    return entries.status();
  for (const CheckpointEntry &entry : *entries)
    if (entry.path.ends_with(unfinished))
      if (Status status = removeCheckpoint(entry.path); !status.ok())
        return status;
  return makeFolder(unfinishedPath(path, step));
}

Status CheckpointFolder::publish(int64_t step) const {
  std::string from = unfinishedPath(path, step), to = completePath(path, step);
  if (Status status = abi::syncFolder(from); !status.ok())
    return status;
  // With an older one of the same step, the names are exchanged: a complete one has the name at any
  // time. A file system that cannot exchange names has none for a moment.
  bool replaces = fileExists(to);
  if (replaces && renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    if (Status status = removeCheckpoint(from); !status.ok())
      return status;
    return abi::syncFolder(path);
  }
  if (replaces)
    if (Status status = removeCheckpoint(to); !status.ok())
      return status;
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return Status::badInput(fmt::format("{}: cannot write: {}", to, systemError()));
  return abi::syncFolder(path);
}

void CheckpointFolder::abandon(int64_t step) const {
  (void)removeCheckpoint(unfinishedPath(path, step));
}

Status CheckpointFolder::markBest(int64_t step) const {
  // A link to a name in the same folder, which may be moved as a whole.
  std::string target = fs::path(completePath(path, step)).filename().string();
  std::string link = path + std::string(best), temporary = link + std::string(unfinished);
  unlink(temporary.c_str());
  if (symlink(target.c_str(), temporary.c_str()) != 0 ||
      std::rename(temporary.c_str(), link.c_str()) != 0)
    return Status::badInput(
        fmt::format("{}: cannot link to '{}': {}", link, target, systemError()));
  return abi::syncFolder(path);
}

Status CheckpointFolder::removeOld(int64_t keep, int64_t step) const {
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(path);
  if (!entries)
    return entries.status();
  std::error_code noLink;
  std::optional<int64_t> bestStep =
      stepOf(fs::read_symlink(path + std::string(best), noLink).filename().string());
  std::erase_if(*entries, [](const CheckpointEntry &entry) { return !entry.isComplete; });
  for (size_t i = 0; keep > 0 && i + size_t(keep) < entries->size(); ++i)
    if ((*entries)[i].step < step && (*entries)[i].step != bestStep)
      if (Status status = removeCheckpoint((*entries)[i].path); !status.ok())
        return status;
  return {};
}

} // namespace pcc::runtime
