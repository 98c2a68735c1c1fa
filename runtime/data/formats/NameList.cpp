// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the files of a folder by their names.

#include "runtime/data/formats/NameList.h"

#include <algorithm>
#include <filesystem>

namespace pcc::runtime {
namespace {

bool isNamed(const std::string &path, std::initializer_list<const char *> words) {
  std::string name = std::filesystem::path(path).filename().string();
  return std::ranges::any_of(
      words, [&](const char *word) { return name.find(word) != std::string::npos; });
}

} // namespace

Expected<std::vector<std::string>> listShards(const std::string &folder, std::string_view extension,
                                              DataPurpose purpose) {
  Expected<std::vector<std::string>> files = listFiles(folder);
  if (!files)
    return files;
  std::erase_if(*files, [&](const std::string &path) { return !path.ends_with(extension); });
  bool trains = purpose == DataPurpose::Training;
  auto isTraining = [](const std::string &path) { return isNamed(path, {"train"}); };
  if (std::ranges::any_of(*files, isTraining))
    std::erase_if(*files, [&](const std::string &path) {
      return trains ? !isTraining(path) : !isNamed(path, {"val", "test"});
    });
  if (files->empty())
    return Status::badInput(fmt::format("{}: expected files '{}{}' in the folder", folder,
                                        trains ? "*train*" : "*val*", extension));
  return files;
}

} // namespace pcc::runtime
