// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the bytes of all files and cuts them into windows.

#include "runtime/data/formats/Formats.h"

#include "runtime/data/formats/NameList.h"
#include "runtime/data/formats/SequenceWindows.h"

namespace pcc::runtime {

Expected<Dataset> readText(const std::string &paths, int64_t length) {
  std::vector<Values::Part> parts;
  Status status = forEachFile(paths, listFiles, [&](const std::string &file) {
    Expected<Values::Part> part = readPart(file);
    if (part)
      parts.push_back(std::move(*part));
    return part.status();
  });
  if (!status.ok())
    return status;
  Sequence text{Values(std::move(parts)), Storage::Bytes, "byte", "text"};
  return makeWindows("text:" + paths, text, length);
}

} // namespace pcc::runtime
