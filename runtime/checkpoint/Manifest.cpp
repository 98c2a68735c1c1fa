// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash is compared before the message is parsed, and every field is checked afterwards. Checks
// return their problem as text; the caller adds the name of the tensor and of the file.

#include "runtime/checkpoint/Manifest.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/abi/program/ParameterParts.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/Xxh3.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

namespace pcc::runtime {
namespace {

constexpr std::string_view letters = "pcc.ckp\n";

/// Returns the problem of a shard; empty if there is none.
std::string checkShard(const abi::CheckpointShard &shard) {
  const std::string &file = shard.file();
  if (file.empty() || file.find('/') != std::string::npos || file.starts_with("."))
    return fmt::format("expected the name of a file in the folder, got '{}'", file);
  return shard.rank() < 0 ? fmt::format("expected a rank, got {}", shard.rank()) : "";
}

/// Returns the problem of a block; empty if there is none.
std::string checkBlock(const abi::CheckpointManifest &manifest, const abi::CheckpointTensor &tensor,
                       const abi::CheckpointBlock &block) {
  if (block.shard() >= uint32_t(manifest.shards_size()))
    return fmt::format("expected a shard below {}, got {}", manifest.shards_size(), block.shard());
  if (block.shape_size() != tensor.shape_size() || block.offsets_size() != tensor.shape_size())
    return fmt::format("expected a block of {} dimensions, got {}", tensor.shape_size(),
                       block.shape_size());
  for (int d = 0; d < tensor.shape_size(); ++d)
    if (block.offsets(d) < 0 || block.shape(d) < 1 ||
        block.shape(d) > tensor.shape(d) - block.offsets(d))
      return fmt::format("expected a block within {} in dimension {}, got {} from {} on",
                         tensor.shape(d), d, block.shape(d), block.offsets(d));
  uint64_t size = manifest.shards(int(block.shard())).bytes();
  uint64_t bytes = bytesOf(tensor, block);
  if (bytes > size || block.begin() > size - bytes)
    return fmt::format("expected a block within the {} bytes of its shard, got {} from {} on", size,
                       bytes, block.begin());
  return "";
}

std::string checkTensor(const abi::CheckpointManifest &manifest,
                        const abi::CheckpointTensor &tensor) {
  uint64_t width = abi::elementBytes(tensor.type());
  std::optional<int64_t> count = abi::elementCount(tensor.shape());
  if (width == 0 || !count || *count > std::numeric_limits<int64_t>::max() / int64_t(width))
    return "expected an element type and a shape";
  if (tensor.has_part())
    if (std::string fault = abi::findFault(tensor.part(), *count); !fault.empty())
      return "part: " + fault;
  int64_t covered = 0;
  for (const abi::CheckpointBlock &block : tensor.blocks()) {
    if (std::string wrong = checkBlock(manifest, tensor, block); !wrong.empty())
      return wrong;
    covered += *abi::elementCount(block.shape());
    if (covered > *count)
      break;
  }
  return covered == *count ? ""
                           : fmt::format("expected blocks of {} elements, got {}", *count, covered);
}

/// Parses the content of a file. Returns the problem; empty if there is none.
std::string parse(std::string_view content, abi::CheckpointManifest &manifest) {
  uint64_t hash = 0;
  if (!content.starts_with(letters))
    return "no manifest of a checkpoint: the first 8 bytes are not 'pcc.ckp'";
  content.remove_prefix(letters.size());
  if (content.size() < sizeof hash)
    return "damaged: the file ends within its header";
  std::memcpy(&hash, content.data(), sizeof hash);
  content.remove_prefix(sizeof hash);
  if (uint64_t got = xxh3Of(content); got != hash)
    return fmt::format("damaged: expected the hash {:016x}, got {:016x}", hash, got);
  if (!manifest.ParseFromArray(content.data(), int(content.size())))
    return "damaged: the message cannot be parsed";
  return validate(manifest).message();
}

} // namespace

Status validate(const abi::CheckpointManifest &manifest) {
  if (manifest.step() < 0)
    return Status::badInput(fmt::format("expected a step from 0 on, got {}", manifest.step()));
  const abi::DataPosition &data = manifest.data();
  if (manifest.has_data() && (data.rows() < 1 || data.batch_rows() < 1 || data.epoch() < 0 ||
                              data.row() < 0 || data.row() > data.rows()))
    return Status::badInput("expected a position in the data");
  for (const abi::CheckpointShard &shard : manifest.shards())
    if (std::string wrong = checkShard(shard); !wrong.empty())
      return Status::badInput(fmt::format("shard of rank {}: {}", shard.rank(), wrong));
  std::set<std::string_view> names;
  for (const abi::CheckpointTensor &tensor : manifest.tensors()) {
    if (!names.insert(tensor.name()).second)
      return Status::badInput(
          fmt::format("'{}': expected one tensor of this name, got two", tensor.name()));
    if (std::string wrong = checkTensor(manifest, tensor); !wrong.empty())
      return Status::badInput(fmt::format("'{}': {}", tensor.name(), wrong));
  }
  return {};
}

Expected<abi::CheckpointManifest> readManifest(const std::string &folder) {
  std::string path = folder + "/" + manifestName;
  if (!fileExists(path))
    return Status::badInput(fmt::format("{}: expected a complete checkpoint, got no '{}'; 'pcc "
                                        "checkpoint list' shows the checkpoints of a folder",
                                        folder, manifestName));
  Expected<std::string> content = abi::readFile(path);
  if (!content)
    return content.status();
  abi::CheckpointManifest manifest;
  if (std::string wrong = parse(*content, manifest); !wrong.empty())
    return Status::badInput(path + ": " + wrong);
  return manifest;
}

Status writeManifest(const abi::CheckpointManifest &manifest, const std::string &folder) {
  std::string message = manifest.SerializeAsString(), header(letters);
  uint64_t hash = xxh3Of(message);
  header.append(reinterpret_cast<const char *>(&hash), sizeof hash);
  return abi::writeFile(folder + "/" + manifestName, header + message);
}

uint64_t bytesOf(const abi::CheckpointTensor &tensor, const abi::CheckpointBlock &block) {
  return uint64_t(abi::elementCount(block.shape()).value_or(0)) * abi::elementBytes(tensor.type());
}

const abi::CheckpointTensor *findTensor(const abi::CheckpointManifest &manifest,
                                        const std::string &name) {
  auto found =
      std::ranges::find_if(manifest.tensors(), [&](const auto &own) { return own.name() == name; });
  return found == manifest.tensors().end() ? nullptr : &*found;
}

} // namespace pcc::runtime
