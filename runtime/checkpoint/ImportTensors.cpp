// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint gets one shard, with one block for each piece, under a temporary name.

#include "runtime/checkpoint/ImportTensors.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Safetensors.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/Layout.h"
#include "runtime/checkpoint/Manifest.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

namespace pcc::runtime {

std::vector<TensorPiece> wholePiece(const std::vector<int64_t> &shape, std::string_view bytes) {
  if (bytes.empty())
    return {};
  return {{{std::vector<int64_t>(shape.size()), shape}, {bytes}}};
}

/// Checks before anything is written what validate (Manifest.h) would refuse afterwards.
static Status checkNames(std::span<const TensorInPieces> tensors) {
  std::set<std::string_view> names;
  for (const TensorInPieces &tensor : tensors)
    if (!names.insert(tensor.name).second)
      return Status::badInput(
          fmt::format("'{}': expected one tensor or state of this name, got two", tensor.name));
  return {};
}

static abi::CheckpointTensor describeTensor(const TensorInPieces &tensor) {
  abi::CheckpointTensor stored;
  stored.set_name(tensor.name);
  stored.set_type(tensor.type);
  stored.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
  stored.set_trainable(tensor.stateOf.empty());
  stored.set_state(!tensor.stateOf.empty());
  stored.set_state_of(tensor.stateOf);
  for (const auto &[box, chunks] : tensor.pieces) {
    abi::CheckpointBlock &block = *stored.add_blocks();
    block.mutable_offsets()->Add(box.offsets.begin(), box.offsets.end());
    block.mutable_shape()->Add(box.shape.begin(), box.shape.end());
  }
  return stored;
}

/// Describes the tensors as a checkpoint with one shard.
static abi::CheckpointManifest describeAll(std::span<const TensorInPieces> tensors, int64_t step,
                                           const std::string &pccVersion) {
  abi::CheckpointManifest manifest;
  manifest.set_pcc_version(pccVersion);
  manifest.set_step(step);
  manifest.set_parameters_only(
      std::ranges::all_of(tensors, [](const auto &tensor) { return tensor.stateOf.empty(); }));
  manifest.set_pipeline_stages(1);
  manifest.mutable_batch()->set_micro_batches(1);
  manifest.mutable_batch()->set_copies(1);
  manifest.add_shards()->set_file("tensors.safetensors");
  for (const TensorInPieces &tensor : tensors)
    *manifest.add_tensors() = describeTensor(tensor);
  uint64_t end = headerOf(entriesOf(manifest, 0)).size();
  for (abi::CheckpointTensor &stored : *manifest.mutable_tensors())
    for (abi::CheckpointBlock &block : *stored.mutable_blocks()) {
      block.set_begin(end);
      end += bytesOf(stored, block);
    }
  return manifest;
}

static Status writeParts(std::span<const TensorInPieces> tensors, const std::string &folder,
                         abi::CheckpointManifest &manifest) {
  if (Status status = makeFolder(folder); !status.ok())
    return status;
  std::string head = headerOf(entriesOf(manifest, 0));
  uint64_t bytes = head.size();
  for (const abi::CheckpointTensor &tensor : manifest.tensors())
    for (const abi::CheckpointBlock &block : tensor.blocks())
      bytes += bytesOf(tensor, block);
  Expected<ShardWriter> writer = ShardWriter::create(folder, manifest.shards(0), bytes);
  if (!writer)
    return writer.status();
  Status status = writer->append(head);
  for (const TensorInPieces &tensor : tensors)
    for (const TensorPiece &piece : tensor.pieces)
      for (std::string_view chunk : piece.chunks)
        if (status.ok())
          status = writer->append(chunk);
  if (status.ok())
    status = writer->commit(*manifest.mutable_shards(0));
  return status.ok() ? writeManifest(manifest, folder) : status;
}

Status importTensors(std::span<const TensorInPieces> tensors, int64_t step,
                     const std::string &pccVersion, const std::string &folder) {
  if (fileExists(folder))
    return Status::badInput(
        fmt::format("{}: expected the name of a new folder, got one that exists", folder));
  if (Status status = checkNames(tensors); !status.ok())
    return status;
  abi::CheckpointManifest manifest = describeAll(tensors, step, pccVersion);
  std::string unfinished = folder + ".part";
  std::error_code ignored;
  std::filesystem::remove_all(unfinished, ignored);
  Status status = writeParts(tensors, unfinished, manifest);
  if (status.ok() && std::rename(unfinished.c_str(), folder.c_str()) != 0)
    status = Status::badInput(fmt::format("{}: cannot write: {}", folder, std::strerror(errno)));
  if (!status.ok())
    std::filesystem::remove_all(unfinished, ignored);
  return status;
}

/// Copies a piece into the tensor `whole`, row by row of its last dimension.
static void copyPiece(const TensorPiece &piece, const std::vector<int64_t> &shape, size_t width,
                      std::string &whole) {
  std::string joined;
  std::string_view bytes = piece.chunks.front();
  if (piece.chunks.size() > 1) {
    for (std::string_view chunk : piece.chunks)
      joined += chunk;
    bytes = joined;
  }
  const std::vector<int64_t> &counts = piece.box.shape;
  size_t row = (counts.empty() ? 1 : size_t(counts.back())) * width;
  for (size_t at = 0, number = 0; at < bytes.size(); at += row, ++number) {
    size_t rest = number, stride = width, offset = 0;
    for (size_t d = shape.size(); d-- > 0; stride *= size_t(shape[d])) {
      bool isLast = d + 1 == shape.size();
      size_t index = isLast ? 0 : rest % size_t(counts[d]);
      rest = isLast ? rest : rest / size_t(counts[d]);
      offset += (size_t(piece.box.offsets[d]) + index) * stride;
    }
    std::memcpy(whole.data() + offset, bytes.data() + at, row);
  }
}

Status saveTensors(std::span<const TensorInPieces> tensors, const std::string &path) {
  std::vector<abi::SafetensorsEntry> entries;
  for (const TensorInPieces &tensor : tensors)
    entries.push_back({tensor.name, tensor.type, tensor.shape});
  Expected<abi::FileWriter> file = abi::FileWriter::create(path);
  if (!file)
    return file.status();
  Status status = file->append(abi::safetensorsHead(entries));
  for (const TensorInPieces &tensor : tensors) {
    if (!status.ok())
      break;
    if (tensor.pieces.size() == 1) {
      for (std::string_view chunk : tensor.pieces.front().chunks)
        status = status.ok() ? file->append(chunk) : status;
      continue;
    }
    size_t width = abi::elementBytes(tensor.type);
    std::string whole(size_t(*abi::elementCount(tensor.shape)) * width, '\0');
    for (const TensorPiece &piece : tensor.pieces)
      copyPiece(piece, tensor.shape, width, whole);
    status = file->append(whole);
  }
  return status.ok() ? file->commit() : status;
}

} // namespace pcc::runtime
