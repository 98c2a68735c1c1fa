// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks agree by the maximum of their wishes. They also agree on the step after which they do so
// next, by the time that a step takes. Barriers keep the ranks together while one writes: rank 0
// makes the folder before the first, and reads how all shards were written after the second.

#include "runtime/execute/checkpoint/TrainingCheckpoints.h"

#include "runtime/checkpoint/Layout.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/execute/checkpoint/StopSignals.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

namespace pcc::runtime {
namespace {

/// Time between two agreements in nanoseconds, and the most steps between them.
constexpr int64_t agreementInterval = 250'000'000, maxStepsBetween = 1000;

/// The outcome of a shard, as a rank of another process sends it to rank 0. An error's text may be
/// cut off.
struct OutcomeMessage {
  uint64_t bytes, hash;
  int32_t kind;
  char text[484];
};

} // namespace

Expected<std::shared_ptr<TrainingCheckpoints>>
TrainingCheckpoints::open(const abi::Executable &executable, const World &world,
                          TrainingCheckpointOptions options) {
  std::optional<CheckpointFolder> folder;
  if (world.process() == 0) {
    Expected<CheckpointFolder> opened = CheckpointFolder::open(options.folder);
    if (!opened)
      return std::move(opened).status().within("--checkpoint");
    folder.emplace(std::move(*opened));
  }
  return std::shared_ptr<TrainingCheckpoints>(
      new TrainingCheckpoints(executable, world, std::move(options), std::move(folder)));
}

TrainingCheckpoints::TrainingCheckpoints(const abi::Executable &executable, const World &world,
                                         TrainingCheckpointOptions options,
                                         std::optional<CheckpointFolder> folder)
    : placement(world.placement), options(std::move(options)), folder(std::move(folder)),
      layout(layOutCheckpoint(executable)), firstRank(world.firstRank()),
      agreements(size_t(world.ownRanks())), outcomes(size_t(placement.ranks)),
      lastWritten(this->options.resumedFrom) {
  for (Agreement &own : agreements)
    own.time = own.lastSave = nowNanoseconds();
}

Expected<AfterStep> TrainingCheckpoints::decide(RankExecutor &rank, const StepEnd &end) {
  Agreement &own = agreements[size_t(rank.rank() - firstRank)];
  const CheckpointInterval &every = options.every;
  AfterStep after;
  if (end.isLast || end.steps >= own.nextStep) {
    Expected<AfterStep> agreed = agree(rank, own, end.steps);
    if (!agreed)
      return agreed;
    after = *agreed;
  }
  after.saves |= end.isLast || (every.steps > 0 && end.steps % every.steps == 0) ||
                 (every.epochs > 0 && end.endsEpoch && end.epochs % every.epochs == 0);
  if (after.saves)
    own.lastSave = nowNanoseconds();
  return after;
}

/// Agrees on signals, on minutes that are over, and on the next agreement.
Expected<AfterStep> TrainingCheckpoints::agree(RankExecutor &rank, Agreement &own, int64_t steps) {
  constexpr int64_t minute = 60'000'000'000;
  int64_t now = nowNanoseconds();
  bool isTimeOver = rank.rank() == 0 && options.every.minutes > 0 &&
                    now - own.lastSave >= options.every.minutes * minute;
  int64_t stepTime =
      std::max<int64_t>(1, (now - own.time) / std::max<int64_t>(1, steps - own.lastStep));
  std::array<int64_t, 4> wishes = {
      StopSignals::stopSignal(), StopSignals::saveRequests(), isTimeOver,
      std::clamp<int64_t>(agreementInterval / stepTime, 1, maxStepsBetween)};
  if (Status status = rank.maxOfRanks(wishes, "to agree on a checkpoint"); !status.ok())
    return status;
  AfterStep after{.saves = wishes[0] != 0 || wishes[1] > own.savesServed || wishes[2] != 0,
                  .stopSignal = int(wishes[0])};
  own.savesServed = wishes[1];
  own.time = nowNanoseconds();
  own.lastStep = steps;
  own.nextStep = steps + wishes[3];
  if (after.stopSignal != 0)
    agreedStop = after.stopSignal;
  return after;
}

std::string TrainingCheckpoints::unfinishedPath(int64_t step) const {
  return CheckpointFolder::unfinishedPath(options.folder, step);
}

Status TrainingCheckpoints::save(RankExecutor &rank, int64_t step, const abi::DataPosition &data,
                                 bool mustSucceed) {
  LocalWork work = rank.atWork("writes a checkpoint");
  bool isFirst = rank.rank() == 0;
  if (isFirst)
    begun = folder->begin(step);
  if (Status status = rank.barrier("at the barrier before a checkpoint"); !status.ok())
    return status;
  outcomes[size_t(rank.rank())] = writeShard(rank, step);
  if (Status status = gather(rank); !status.ok())
    return status;
  if (Status status = rank.barrier("at the barrier after a checkpoint"); !status.ok() || !isFirst)
    return status;
  Status status = publish(step, data);
  if (!status.ok()) {
    folder->abandon(step);
    status = std::move(status).within(
        fmt::format("no checkpoint after step {}, the last one is {}", step,
                    lastWritten.empty() ? "none" : "'" + lastWritten + "'"));
    if (mustSucceed)
      return status;
    options.warn(status.message());
    return {};
  }
  lastWritten = folder->completePath(step);
  options.written(lastWritten);
  // The new checkpoint counts, whatever happens to old ones.
  if (Status removed = folder->removeOld(options.keep, step); !removed.ok())
    options.warn(removed.message());
  return {};
}

TrainingCheckpoints::Outcome TrainingCheckpoints::writeShard(RankExecutor &rank,
                                                             int64_t step) const {
  int number = shardOfRank(layout, rank.rank());
  if (number < 0)
    return {};
  abi::CheckpointShard shard = layout.shards(number);
  Expected<ShardWriter> writer = ShardWriter::create(unfinishedPath(step), shard);
  if (!writer)
    return {.status = writer.status()};
  Status status = appendBlocks(rank, *writer, uint32_t(number));
  if (status.ok())
    status = writer->commit(shard);
  return {shard.bytes(), shard.hash(), std::move(status)};
}

Status TrainingCheckpoints::appendBlocks(RankExecutor &rank, ShardWriter &writer,
                                         uint32_t shard) const {
  std::vector<ShardEntry> entries = entriesOf(layout, shard);
  Status status = writer.append(headOf(entries));
  for (const ShardEntry &entry : entries) {
    auto own = std::ranges::find_if(rank.program().parameters(), [&](const auto &parameter) {
      return parameter.name() == entry.tensor->name();
    });
    std::vector<std::byte> copy;
    auto bytes = rank.read(own->buffer(), bytesOf(*entry.tensor, *entry.block), copy);
    if (!bytes)
      return bytes.status();
    if (status.ok())
      status = writer.append({reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  }
  return status;
}

/// Sends the outcome of a rank of another process to rank 0, which receives all of them.
Status TrainingCheckpoints::gather(RankExecutor &rank) {
  int64_t firstRemoteRank = placement.firstOf(1);
  if (rank.rank() >= firstRemoteRank) {
    const Outcome &own = outcomes[size_t(rank.rank())];
    OutcomeMessage message{own.bytes, own.hash, int32_t(own.status.kind()), {}};
    own.status.message().copy(message.text, sizeof message.text - 1);
    std::vector<TaggedBytes> messages(1);
    auto bytes = std::as_bytes(std::span(&message, 1));
    messages[0].owned.assign(bytes.begin(), bytes.end());
    messages[0].bytes = messages[0].owned;
    return rank.sendToFirstRank(std::move(messages));
  }
  for (int64_t other = firstRemoteRank; rank.rank() == 0 && other < placement.ranks; ++other) {
    OutcomeMessage message;
    Expected<std::vector<std::byte>> bytes = rank.receiveFrom(other, sizeof message);
    if (!bytes)
      return bytes.status();
    std::memcpy(&message, bytes->data(), sizeof message);
    auto kind = StatusKind(message.kind);
    outcomes[size_t(other)] = {message.bytes, message.hash,
                               kind == StatusKind::Ok ? Status() : Status(kind, message.text)};
  }
  return {};
}

/// Writes the manifest and gives the checkpoint its name, if all shards are on the disk.
Status TrainingCheckpoints::publish(int64_t step, const abi::DataPosition &data) {
  if (!begun.ok())
    return begun;
  abi::CheckpointManifest manifest = layout;
  for (abi::CheckpointShard &shard : *manifest.mutable_shards()) {
    const Outcome &outcome = outcomes[size_t(shard.rank())];
    if (!outcome.status.ok())
      return outcome.status;
    shard.set_bytes(outcome.bytes);
    shard.set_hash(outcome.hash);
    std::string path = unfinishedPath(step) + "/" + shard.file();
    std::error_code error;
    if (uint64_t got = std::filesystem::file_size(path, error); error || got != outcome.bytes)
      return Status::badInput(
          fmt::format("{}: expected {} bytes from rank {}, got {}; '--checkpoint' "
                      "needs a folder that all processes share",
                      path, outcome.bytes, shard.rank(), error ? "no file" : std::to_string(got)));
  }
  manifest.set_pcc_version(options.pccVersion);
  manifest.set_step(step);
  manifest.set_seed(options.seed);
  *manifest.mutable_data() = data;
  if (Status status = writeManifest(manifest, unfinishedPath(step)); !status.ok())
    return status;
  return folder->publish(step);
}

} // namespace pcc::runtime
