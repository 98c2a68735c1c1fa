// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/Files.h"

#include <filesystem>

namespace pcc::runtime {

bool fileExists(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Status makeFolder(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return Status::badInput(fmt::format("{}: cannot make the folder: {}", path, error.message()));
  return {};
}

} // namespace pcc::runtime
