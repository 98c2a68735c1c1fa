// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/checkpoint/mindspore/RankFiles.h"

#include "runtime/base/Files.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace pcc::runtime {
namespace {

using EpochAndStep = std::pair<int64_t, int64_t>;

std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool isNumber = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return isNumber ? std::optional(number) : std::nullopt;
}

/// Parses the end of a name NAME-EPOCH_STEP.
std::optional<EpochAndStep> parsePosition(std::string_view stem) {
  size_t dash = stem.rfind('-');
  if (dash == std::string_view::npos)
    return std::nullopt;
  stem.remove_prefix(dash + 1);
  size_t line = stem.find('_');
  std::optional<int64_t> epoch = parseNumber(stem.substr(0, line));
  std::optional<int64_t> step =
      line == std::string_view::npos ? std::nullopt : parseNumber(stem.substr(line + 1));
  if (!epoch || !step)
    return std::nullopt;
  return EpochAndStep(*epoch, *step);
}

/// A rank's file, the name before its position, and the position; without one it is the only file
/// of the rank.
struct RankFile {
  std::string path, name;
  std::optional<EpochAndStep> position;
};

/// Splits the name of a file.
RankFile describe(const std::filesystem::path &path) {
  std::string stem = path.stem().string();
  std::optional<EpochAndStep> position = parsePosition(stem);
  return {path.string(), position ? stem.substr(0, stem.rfind('-')) : stem, position};
}

/// Returns the rank of a folder `rank_N`.
std::optional<int64_t> parseRank(const std::filesystem::path &path) {
  std::string name = path.filename().string();
  return name.starts_with("rank_") ? parseNumber(std::string_view(name).substr(5)) : std::nullopt;
}

Expected<RankFile> findLast(const std::string &folder) {
  std::vector<RankFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".ckpt")
      files.push_back(describe(entry->path()));
  if (error)
    return Status::badInput(fmt::format("{}: cannot read: {}", folder, error.message()));
  if (files.empty())
    return Status::badInput(folder + ": expected a .ckpt file, got none");
  RankFile *last = &files.front();
  if (files.size() == 1)
    return std::move(*last);
  for (RankFile &file : files) {
    if (!file.position)
      return Status::badInput(fmt::format(
          "{}: expected one .ckpt file, or names that end in -EPOCH_STEP.ckpt, got '{}' beside "
          "others",
          folder, file.path));
    if (file.name != last->name)
      return Status::badInput(fmt::format(
          "{}: expected files of one training, got '{}' and '{}'; move one of them away", folder,
          last->path, file.path));
    last = *last->position < *file.position ? &file : last;
  }
  return std::move(*last);
}

} // namespace

bool hasRankFolders(const std::string &folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (parseRank(entry->path()))
      return true;
  return false;
}

Expected<std::map<int64_t, std::string>> findRankFiles(const std::string &folder) {
  std::map<int64_t, std::string> paths;
  std::optional<RankFile> first;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::optional<int64_t> rank = parseRank(entry->path());
    if (!rank)
      continue;
    Expected<RankFile> file = findLast(entry->path().string());
    if (!file)
      return file.status();
    if (first && first->position != file->position)
      return Status::badInput(fmt::format("{}: expected files of one step, got '{}' and '{}'",
                                          folder, first->path, file->path));
    first = first ? first : std::optional(*file);
    if (!paths.try_emplace(*rank, file->path).second)
      return Status::badInput(
          fmt::format("{}: expected one folder of rank {}, got two", folder, *rank));
  }
  if (error)
    return Status::badInput(fmt::format("{}: cannot read: {}", folder, error.message()));
  if (paths.empty())
    return Status::badInput(folder + ": expected folders 'rank_N' with a .ckpt file, got none");
  return paths;
}

} // namespace pcc::runtime
