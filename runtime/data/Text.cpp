// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the bytes of all files and cuts them into windows.

#include "runtime/data/Formats.h"

#include "runtime/base/Files.h"
#include "runtime/data/NameList.h"
#include "runtime/data/Windows.h"

namespace pcc::runtime {
namespace {

Expected<std::vector<Values::Part>> readParts(const std::string &paths) {
  std::vector<Values::Part> parts;
  for (const std::string &path : splitNames(paths)) {
    Expected<std::vector<std::string>> files = std::vector<std::string>{path};
    if (isFolder(path))
      files = listFiles(path);
    if (!files)
      return files.status();
    for (const std::string &file : *files) {
      Expected<Values::Part> part = readPart(file);
      if (!part)
        return part.status();
      parts.push_back(std::move(*part));
    }
  }
  return parts;
}

} // namespace

Expected<Dataset> readText(const std::string &paths, int64_t length) {
  Expected<std::vector<Values::Part>> parts = readParts(paths);
  if (!parts)
    return parts.status();
  Sequence text{Values(std::move(*parts)), Storage::Bytes, "byte", "text"};
  return makeWindows("text:" + paths, text, length);
}

} // namespace pcc::runtime
