// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the concatenated bytes twice: `next` is `text` shifted by one byte. Bytes after the last
// full row and its successor are dropped.

#include "runtime/data/Formats.h"

#include "runtime/base/Files.h"
#include "runtime/data/NameList.h"
#include "runtime/data/ReadDecompressed.h"

namespace pcc::runtime {
namespace {

Expected<std::vector<std::byte>> readAll(const std::string &paths) {
  std::vector<std::byte> text;
  for (const std::string &path : splitNames(paths)) {
    Expected<std::vector<std::string>> files = std::vector<std::string>{path};
    if (isFolder(path))
      files = listFiles(path);
    if (!files)
      return files.status();
    for (const std::string &file : *files) {
      Expected<std::vector<std::byte>> bytes = readDecompressed(file);
      if (!bytes)
        return bytes.status();
      text.insert(text.end(), bytes->begin(), bytes->end());
    }
  }
  return text;
}

} // namespace

Expected<Dataset> readText(const std::string &paths, int64_t length) {
  Expected<std::vector<std::byte>> text = readAll(paths);
  if (!text)
    return text.status();
  if (int64_t(text->size()) <= length)
    return Status::badInput(
        fmt::format("{}: expected at least {} bytes, a row of {} and the byte after it, got {}",
                    paths, length + 1, length, text->size()));
  int64_t rows = (int64_t(text->size()) - 1) / length;
  auto begin = text->begin();
  std::vector<std::byte> next(begin + 1, begin + 1 + rows * length);
  text->resize(rows * length);
  Dataset dataset{.name = "text:" + paths, .rows = rows, .fields = {}};
  dataset.fields.push_back({"text", Storage::Bytes, {length}, std::move(*text)});
  dataset.fields.push_back({"next", Storage::Bytes, {length}, std::move(next)});
  return dataset;
}

} // namespace pcc::runtime
