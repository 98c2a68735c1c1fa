// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the format of a name in this order: the prefixes `text:`, `tokens:`, `npy:` and
// `webdataset:`, a comma between two IDX files, a folder with MNIST's names, a folder with CIFAR's
// names.

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/data/formats/Formats.h"

#include <algorithm>
#include <optional>

namespace pcc::runtime {
namespace {

/// Returns the paths of images and labels in IDX files, if the folder has them under MNIST's names.
std::optional<std::pair<std::string, std::string>> findIdx(const std::string &folder,
                                                           DataPurpose purpose) {
  std::vector<std::string> prefixes = {"train"};
  if (purpose == DataPurpose::Evaluation)
    prefixes = {"test", "t10k"};
  for (const std::string &prefix : prefixes)
    for (const char *suffix : {"", ".gz"}) {
      std::string images = fmt::format("{}/{}-images-idx3-ubyte{}", folder, prefix, suffix);
      if (fileExists(images))
        return std::pair(images, fmt::format("{}/{}-labels-idx1-ubyte{}", folder, prefix, suffix));
    }
  return std::nullopt;
}

Expected<Dataset> readIdxPair(const std::string &name, const std::string &imagePath,
                              const std::string &labelPath) {
  Expected<IdxTensor> images = readIdx(imagePath);
  if (!images)
    return images.status();
  Expected<IdxTensor> labels = readIdx(labelPath);
  if (!labels)
    return labels.status();
  if (labels->shape.size() != 1)
    return Status::badInput(fmt::format("{}: expected one dimension of labels, got {}", labelPath,
                                        labels->shape.size()));
  if (images->shape[0] != labels->shape[0])
    return Status::badInput(
        fmt::format("{}: expected {} labels, one for each image of '{}', got {}", labelPath,
                    images->shape[0], imagePath, labels->shape[0]));
  Dataset dataset{.name = name, .rows = images->shape[0], .fields = {}};
  dataset.fields.push_back({"image",
                            Storage::Pixels,
                            {images->shape.begin() + 1, images->shape.end()},
                            std::move(images->values),
                            imagePath});
  dataset.fields.push_back({"label", Storage::Bytes, {}, std::move(labels->values), labelPath});
  return dataset;
}

bool holdsNpy(const std::string &folder) {
  Expected<std::vector<std::string>> files = listFiles(folder);
  return files && std::any_of(files->begin(), files->end(),
                              [](const std::string &path) { return path.ends_with(".npy"); });
}

Expected<Dataset> openFolder(const std::string &folder, DataPurpose purpose) {
  if (!fileExists(folder))
    return Status::badInput(fmt::format("{}: no such file or folder", folder));
  if (auto pair = findIdx(folder, purpose))
    return readIdxPair(folder, pair->first, pair->second);
  if (holdsCifar(folder, purpose))
    return readCifar(folder, purpose);
  bool trains = purpose == DataPurpose::Training;
  return Status::badInput(fmt::format(
      "{}: expected '{}-images-idx3-ubyte' or the same with '.gz', '{}' or '{}' in the folder{}",
      folder, trains ? "train" : "test", trains ? "data_batch_1.bin" : "test_batch.bin",
      trains ? "train.bin" : "test.bin",
      holdsNpy(folder) ? fmt::format("; 'npy:{}' reads its .npy files", folder) : ""));
}

/// Returns the elements of a row of the first integer input. `name` is for the error: there is no
/// such input.
Expected<int64_t> windowLength(const std::string &name, const abi::Program &program) {
  for (const abi::Input &input : program.inputs()) {
    const abi::Block &block = input.block();
    if (!isInteger(block.type()) || block.global_shape_size() < 2)
      continue;
    int64_t length =
        *abi::elementCount(block.global_shape()) / std::max<int64_t>(1, block.global_shape(0));
    if (length > 0)
      return length;
  }
  return Status::badInput(
      fmt::format("{}: expected a program with an input of integers [rows, positions]", name));
}

} // namespace

Expected<Dataset> openDataset(const std::string &name, DataPurpose purpose,
                              const abi::Program &program, int64_t shortSide) {
  constexpr std::string_view text = "text:", tokens = "tokens:", npy = "npy:",
                             webDataset = "webdataset:";
  if (name.starts_with(webDataset))
    return readWebDataset(name.substr(webDataset.size()), purpose, {shortSide, &program});
  if (shortSide > 0)
    return Status::badUsage(
        fmt::format("--resize-images: expected data of webdataset:PATHS, got '{}'", name));
  if (name.starts_with(text) || name.starts_with(tokens)) {
    Expected<int64_t> length = windowLength(name, program);
    if (!length)
      return length.status();
    return name.starts_with(text) ? readText(name.substr(text.size()), *length)
                                  : readTokens(name.substr(tokens.size()), *length, purpose);
  }
  if (name.starts_with(npy))
    return readNpyFiles(name.substr(npy.size()));
  if (size_t comma = name.find(','); comma != std::string::npos)
    return readIdxPair(name, name.substr(0, comma), name.substr(comma + 1));
  return openFolder(name, purpose);
}

} // namespace pcc::runtime
