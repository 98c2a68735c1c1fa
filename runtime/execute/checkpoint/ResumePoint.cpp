// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank checks every n-th shard of n ranks as a whole, then reads only the slices of its own
// blocks. A parameter that is a part of a stored tensor is cut out of the whole tensor.

#include "runtime/execute/checkpoint/TrainingCheckpoints.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ParameterParts.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/MatchModel.h"
#include "runtime/checkpoint/Shards.h"
#include "runtime/checkpoint/Xxh3.h"
#include "runtime/execute/rank/BufferWriter.h"

#include <algorithm>
#include <array>

namespace pcc::runtime {
namespace {

/// Tells about unfinished checkpoints that are newer than `path`, the one that is used.
Status tellUnfinished(const std::string &folder, const std::string &path,
                      const std::function<void(const std::string &)> &tell) {
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(folder);
  if (!entries)
    return entries.status();
  auto used = std::ranges::find_if(*entries, [&](const auto &own) { return own.path == path; });
  for (const CheckpointEntry &entry : *entries)
    if (!entry.isComplete && (used == entries->end() || entry.step > used->step))
      tell(fmt::format("'{}' is unfinished and ignored", entry.path));
  return {};
}

/// Returns the path of the checkpoint; empty for the beginning.
Expected<std::string> findPath(const abi::CheckpointConfig &config,
                               const std::function<void(const std::string &)> &tell) {
  const std::string &resume = config.resume();
  if (resume.empty() || resume == "none")
    return std::string();
  bool isLatest = resume == "latest";
  if (isLatest && config.checkpoint().empty())
    return Status::badUsage("--resume: expected '--checkpoint=FOLDER' with 'latest', got none; or "
                            "name the checkpoint: '--resume=FOLDER'");
  const std::string &folder = isLatest ? config.checkpoint() : resume;
  Expected<std::string> path = findCheckpoint(folder);
  if (!path && !isLatest)
    return std::move(path).status().within("--resume");
  std::string found = path ? *path : "";
  if (found != folder)
    if (Status status = tellUnfinished(folder, found, tell); !status.ok())
      return status;
  if (!path)
    tell(fmt::format("'{}' has no complete checkpoint: training begins with step 1", folder));
  return found;
}

/// Fails if processes have read different manifests.
Status agreeOnManifest(RankExecutor &rank, const abi::CheckpointManifest &manifest) {
  int64_t hash = int64_t(xxh3Of(manifest.SerializeAsString()) >> 1);
  std::array<int64_t, 2> extremes = {hash, -hash};
  if (Status status = rank.maxOfRanks(extremes, "to agree on the checkpoint"); !status.ok())
    return status;
  if (extremes[0] != -extremes[1])
    return Status::badInput("--resume: expected the same checkpoint on all processes, got "
                            "different ones; the folder must be shared by all processes");
  return {};
}

TensorBox boxOf(const abi::Block &block, const abi::Mesh &mesh, int64_t rank) {
  return {abi::offsetsOf(block, mesh, rank),
          {block.local_shape().begin(), block.local_shape().end()}};
}

/// Reads a rank's block of a parameter whose whole tensor is stored.
Status readPart(SliceReader &reader, const abi::CheckpointTensor &whole,
                const abi::Parameter &parameter, const RankExecutor &rank, std::byte *out) {
  size_t width = abi::elementBytes(whole.type());
  std::vector<int64_t> shape(whole.shape().begin(), whole.shape().end());
  std::vector<std::byte> bytes(size_t(*abi::elementCount(shape)) * width);
  TensorBox all{std::vector<int64_t>(shape.size()), shape};
  if (Status status = reader.read(whole, all, bytes.data()); !status.ok())
    return status;
  abi::Runs runs = abi::runsOf(parameter);
  std::vector<std::byte> part(size_t(*abi::elementCount(parameter.block().global_shape())) * width);
  size_t run = size_t(runs.run) * width;
  for (size_t at = 0; at < part.size(); at += run)
    std::copy_n(bytes.begin() + ptrdiff_t(size_t(runs.inWhole(int64_t(at / width))) * width), run,
                part.begin() + ptrdiff_t(at));
  copyBlockOut(parameter.block(), rank.executable().mesh(), rank.rank(), part.data(), out);
  return {};
}

Status readParameters(RankExecutor &rank, const ResumePoint &point) {
  SliceReader reader(point.path, point.manifest);
  for (const abi::Parameter &parameter : rank.program().parameters()) {
    const abi::CheckpointTensor *tensor = findStored(point.manifest, parameter);
    if (!tensor) // a state that keeps its first value (matchModel)
      continue;
    BufferWriter writer(rank); // per parameter, to hold only one image in host memory
    std::byte *out = writer.at(parameter.buffer());
    Status status =
        tensor->name() == parameter.name()
            ? reader.read(*tensor, boxOf(parameter.block(), rank.executable().mesh(), rank.rank()),
                          out)
            : readPart(reader, *tensor, parameter, rank, out);
    if (status.ok())
      status = writer.send();
    if (!status.ok())
      return status;
  }
  return {};
}

} // namespace

Expected<std::shared_ptr<const ResumePoint>>
findResumePoint(const abi::CheckpointConfig &config, const abi::Executable &executable,
                const std::function<void(const std::string &)> &tell) {
  Expected<std::string> path = findPath(config, tell);
  if (!path)
    return path.status();
  if (path->empty())
    return std::shared_ptr<const ResumePoint>();
  Expected<abi::CheckpointManifest> manifest = readManifest(*path);
  if (!manifest)
    return manifest.status();
  if (Status status = matchModel(*manifest, executable); !status.ok())
    return std::move(status).within(*path);
  return std::make_shared<const ResumePoint>(std::move(*path), std::move(*manifest));
}

Status loadCheckpoint(RankExecutor &rank, const ResumePoint &point) {
  LocalWork work = rank.atWork("reads a checkpoint");
  if (Status status = agreeOnManifest(rank, point.manifest); !status.ok())
    return status;
  int64_t ranks = rank.world().size();
  for (int64_t shard = rank.rank(); shard < point.manifest.shards_size(); shard += ranks)
    if (Status status = verifyShard(point.path, point.manifest.shards(int(shard))); !status.ok())
      return status;
  if (Status status = rank.barrier("at the barrier before the parameters are read"); !status.ok())
    return status;
  return readParameters(rank, point);
}

} // namespace pcc::runtime
