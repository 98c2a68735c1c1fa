// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the version by file names: CIFAR-10 first, then CIFAR-100. Splits each record into
// label fields and an image field. A file whose size is not a multiple of the record size is
// refused.

#include "runtime/data/formats/Formats.h"

#include "runtime/base/Files.h"
#include "runtime/data/ReadDecompressed.h"

#include <algorithm>
#include <filesystem>
#include <span>

namespace pcc::runtime {
namespace {

constexpr int64_t imageBytes = 3 * 32 * 32;

/// A label of a CIFAR record: its field, and the number of its classes.
struct Label {
  const char *field;
  int classes;
};

constexpr Label labelsOf10[] = {{"label", 10}},
                labelsOf100[] = {{"coarse_label", 20}, {"label", 100}};

struct Files {
  std::vector<std::string> paths;
  std::span<const Label> labels;
};

/// Finds CIFAR files; without paths, the folder has none.
Files findFiles(const std::string &folder, DataPurpose purpose) {
  bool trains = purpose == DataPurpose::Training;
  Files files{{}, labelsOf10};
  if (Expected<std::vector<std::string>> all = listFiles(folder))
    for (const std::string &path : *all) {
      std::string name = std::filesystem::path(path).filename().string();
      if (name.starts_with(trains ? "data_batch_" : "test_batch") && name.ends_with(".bin"))
        files.paths.push_back(path);
    }
  if (!files.paths.empty())
    return files;
  std::string path = folder + (trains ? "/train.bin" : "/test.bin");
  return fileExists(path) ? Files{{path}, labelsOf100} : Files{};
}

/// The values of the fields: labels first, then images.
using FieldBytes = std::vector<std::vector<std::byte>>;

/// Adds the records of one file to the fields.
Status addFile(const std::string &path, std::span<const Label> labels, FieldBytes &fields) {
  Expected<std::vector<std::byte>> bytes = readDecompressed(path);
  if (!bytes)
    return bytes.status();
  int64_t recordBytes = int64_t(labels.size()) + imageBytes;
  if (bytes->empty() || int64_t(bytes->size()) % recordBytes != 0)
    return Status::badInput(
        fmt::format("{}: expected records of {} bytes ({} of labels, {} of an image), got {} bytes",
                    path, recordBytes, labels.size(), imageBytes, bytes->size()));
  int64_t records = int64_t(bytes->size()) / recordBytes;
  const std::byte *next = bytes->data();
  for (int64_t r = 0; r < records; ++r) {
    for (size_t l = 0; l < labels.size(); ++l, ++next) {
      if (int(*next) >= labels[l].classes)
        return Status::badInput(fmt::format("{}: record {}: expected a {} below {}, got {}", path,
                                            r, labels[l].field, labels[l].classes, int(*next)));
      fields[l].push_back(*next);
    }
    fields.back().insert(fields.back().end(), next, next + imageBytes);
    next += imageBytes;
  }
  return {};
}

} // namespace

bool holdsCifar(const std::string &folder, DataPurpose purpose) {
  return !findFiles(folder, purpose).paths.empty();
}

Expected<Dataset> readCifar(const std::string &folder, DataPurpose purpose) {
  Files files = findFiles(folder, purpose);
  FieldBytes bytes(files.labels.size() + 1);
  for (const std::string &path : files.paths)
    if (Status status = addFile(path, files.labels, bytes); !status.ok())
      return status;
  // Inputs of other names bind to the first field of their kind: of two labels, the fine one.
  Dataset dataset{.name = folder, .rows = int64_t(bytes[0].size()), .fields = {}};
  dataset.fields.push_back({"image", Storage::Pixels, {3, 32, 32}, std::move(bytes.back())});
  for (size_t l = files.labels.size(); l-- > 0;)
    dataset.fields.push_back({files.labels[l].field, Storage::Bytes, {}, std::move(bytes[l])});
  return dataset;
}

} // namespace pcc::runtime
