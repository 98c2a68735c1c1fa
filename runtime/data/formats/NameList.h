// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses lists of names in a flag, which may be files and folders.

#pragma once

#include "runtime/base/Files.h"
#include "runtime/data/Dataset.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// Splits `list` at its commas; a list without a comma is one name.
inline std::vector<std::string> splitNames(const std::string &list) {
  std::vector<std::string> names;
  for (size_t begin = 0;;) {
    size_t comma = list.find(',', begin);
    names.push_back(list.substr(begin, comma - begin));
    if (comma == std::string::npos)
      return names;
    begin = comma + 1;
  }
}

/// Lists the files of a folder whose names end in `extension`, sorted. If any name contains
/// `train`, those are for training, and those that contain `val` or `test` for evaluation. Errors
/// name the folder: it has no such file.
Expected<std::vector<std::string>> listShards(const std::string &folder, std::string_view extension,
                                              DataPurpose purpose);

/// Calls body(path) for each file of a list of files and folders, in order; inFolder(path) lists
/// those of a folder. Returns the first error of both.
template <typename InFolder, typename Body>
Status forEachFile(const std::string &list, InFolder &&inFolder, Body &&body) {
  for (const std::string &path : splitNames(list)) {
    Expected<std::vector<std::string>> files = std::vector<std::string>{path};
    if (isFolder(path))
      files = inFolder(path);
    if (!files)
      return files.status();
    for (const std::string &file : *files)
      if (Status status = body(file); !status.ok())
        return status;
  }
  return {};
}

} // namespace pcc::runtime
