// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps the overloads of std::filesystem that do not throw. An error becomes a Status with the
// path.

#include "runtime/base/Files.h"

#include "runtime/abi/files/WholeFile.h"

#include <algorithm>
#include <filesystem>

namespace pcc::runtime {

bool fileExists(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool isFolder(const std::string &path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

Expected<std::vector<std::string>> listFiles(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code error, none;
  std::filesystem::directory_iterator entry(folder, error), end;
  while (!error && entry != end) {
    if (entry->is_regular_file(none))
      paths.push_back(entry->path().string());
    entry.increment(error);
  }
  if (error)
    return Status::badInput(fmt::format("{}: cannot list the folder: {}", folder, error.message()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

Status makeFolder(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return Status::badInput(fmt::format("{}: cannot make the folder: {}", path, error.message()));
  return {};
}

Status checkOutputPath(const char *flag, const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error))
    return Status::badInput(
        fmt::format("{}: expected the name of a file, got the folder '{}'", flag, path));
  fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    return Status::badInput(fmt::format("{}: the folder '{}' of '{}' is not there; make it first",
                                        flag, folder.string(), path));
  // The file is removed again, since it is not committed.
  return abi::FileWriter::create(path).status().within(flag);
}

} // namespace pcc::runtime
