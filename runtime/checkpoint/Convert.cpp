// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An export reads one tensor at a time. An import writes one shard with one block for each tensor,
// under a temporary name.

#include "runtime/checkpoint/Convert.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/Layout.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "runtime/checkpoint/Shards.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace pcc::runtime {

Status exportParameters(const std::string &folder, const abi::CheckpointManifest &manifest,
                        const std::string &path) {
  for (const abi::CheckpointShard &shard : manifest.shards())
    if (Status status = verifyShard(folder, shard); !status.ok())
      return status;
  abi::Program program;
  for (const abi::CheckpointTensor &tensor : manifest.tensors()) {
    abi::Parameter &parameter = *program.add_parameters();
    parameter.set_name(tensor.name());
    parameter.set_trainable(tensor.trainable());
    parameter.set_state_of(tensor.state_of());
    parameter.mutable_block()->set_type(tensor.type());
    *parameter.mutable_block()->mutable_global_shape() = tensor.shape();
    if (tensor.has_part())
      *parameter.mutable_part() = tensor.part();
  }
  SliceReader reader(folder, manifest);
  auto globalOf = [&](const abi::Parameter &parameter) -> Expected<std::vector<std::byte>> {
    const abi::CheckpointTensor &tensor = *findTensor(manifest, parameter.name());
    TensorBox all{std::vector<int64_t>(size_t(tensor.shape_size())),
                  {tensor.shape().begin(), tensor.shape().end()}};
    std::vector<std::byte> bytes(size_t(*abi::elementCount(tensor.shape())) *
                                 abi::elementBytes(tensor.type()));
    if (Status status = reader.read(tensor, all, bytes.data()); !status.ok())
      return status;
    return bytes;
  };
  return saveParameters(path, program, globalOf);
}

/// Describes the tensors as a checkpoint with one shard.
static abi::CheckpointManifest describeWhole(std::span<const WholeTensor> tensors,
                                             const std::string &pccVersion) {
  abi::CheckpointManifest manifest;
  manifest.set_pcc_version(pccVersion);
  manifest.set_parameters_only(true);
  manifest.set_pipeline_stages(1);
  manifest.mutable_batch()->set_micro_batches(1);
  manifest.mutable_batch()->set_copies(1);
  manifest.add_shards()->set_file("parameters.safetensors");
  for (const WholeTensor &tensor : tensors) {
    abi::CheckpointTensor &stored = *manifest.add_tensors();
    stored.set_name(tensor.name);
    stored.set_type(tensor.type);
    stored.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
    stored.set_trainable(true);
    if (tensor.bytes.empty())
      continue;
    abi::CheckpointBlock &block = *stored.add_blocks();
    *block.mutable_shape() = stored.shape();
    for (size_t d = 0; d < tensor.shape.size(); ++d)
      block.add_offsets(0);
  }
  uint64_t end = headerOf(entriesOf(manifest, 0)).size();
  for (abi::CheckpointTensor &stored : *manifest.mutable_tensors())
    for (abi::CheckpointBlock &block : *stored.mutable_blocks()) {
      block.set_begin(end);
      end += bytesOf(stored, block);
    }
  return manifest;
}

static Status writeParts(std::span<const WholeTensor> tensors, const std::string &folder,
                         abi::CheckpointManifest &manifest) {
  if (Status status = makeFolder(folder); !status.ok())
    return status;
  std::string head = headerOf(entriesOf(manifest, 0));
  uint64_t bytes = head.size();
  for (const WholeTensor &tensor : tensors)
    bytes += tensor.bytes.size();
  Expected<ShardWriter> writer = ShardWriter::create(folder, manifest.shards(0), bytes);
  if (!writer)
    return writer.status();
  Status status = writer->append(head);
  for (const WholeTensor &tensor : tensors)
    if (status.ok())
      status = writer->append(tensor.bytes);
  if (status.ok())
    status = writer->commit(*manifest.mutable_shards(0));
  return status.ok() ? writeManifest(manifest, folder) : status;
}

Status importParameters(std::span<const WholeTensor> tensors, const std::string &pccVersion,
                        const std::string &folder) {
  if (fileExists(folder))
    return Status::badInput(
        fmt::format("{}: expected the name of a new folder, got one that exists", folder));
  abi::CheckpointManifest manifest = describeWhole(tensors, pccVersion);
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

} // namespace pcc::runtime
