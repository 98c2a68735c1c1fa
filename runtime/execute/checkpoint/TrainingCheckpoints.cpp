// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint has three parts. start(): rank 0 makes the folder, and after a barrier each rank
// starts to write its shard. gather(): when all ranks are done, rank 0 learns how. publish(): rank
// 0 adds the manifest and gives the folder its name, again beside training.

#include "runtime/execute/checkpoint/TrainingCheckpoints.h"

#include "runtime/base/CatchExceptions.h"
#include "runtime/checkpoint/Layout.h"
#include "runtime/checkpoint/Manifest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

namespace pcc::runtime {
namespace {

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
      layout(std::make_shared<abi::CheckpointManifest>(layOutCheckpoint(executable))),
      firstRank(world.firstRank()), schedule(this->options.every, firstRank, world.ownRanks()),
      shards(size_t(world.ownRanks())), unfinished(size_t(world.ownRanks())),
      outcomes(size_t(placement.ranks)), lastWritten(this->options.resumedFrom) {}

std::optional<TrainingCheckpoints::Unfinished> &
TrainingCheckpoints::unfinishedOf(const RankExecutor &rank) {
  return unfinished[size_t(rank.rank() - firstRank)];
}

Expected<AfterStep> TrainingCheckpoints::decide(RankExecutor &rank, const StepEnd &end) {
  const std::optional<Unfinished> &own = unfinishedOf(rank);
  return schedule.decide(rank, end, own && own->writing && !own->writing->isDone());
}

Status TrainingCheckpoints::save(RankExecutor &rank, int64_t step, CheckpointFacts facts,
                                 bool isLast) {
  LocalWork work = rank.atWork("writes a checkpoint");
  if (Status status = finish(rank, /*isLast=*/false); !status.ok())
    return status;
  Expected<Unfinished> started = start(rank, step, std::move(facts), isLast);
  if (!started)
    return started.status();
  unfinishedOf(rank) = std::move(*started);
  return isLast || options.waits ? finish(rank, isLast) : Status();
}

Status TrainingCheckpoints::finish(RankExecutor &rank) {
  LocalWork work = rank.atWork("finishes a checkpoint");
  return finish(rank, /*isLast=*/false);
}

/// Makes the folder, and starts to write the rank's shard: from a copy, or at once if the rank
/// waits for it anyway.
Expected<TrainingCheckpoints::Unfinished>
TrainingCheckpoints::start(RankExecutor &rank, int64_t step, CheckpointFacts facts, bool isLast) {
  if (rank.rank() == 0) {
    if (publishing)
      (void)publishing->wait(); // it has warned of its failure
    begun = folder->begin(step);
  }
  if (Status status = rank.barrier("at the barrier before a checkpoint"); !status.ok())
    return status;
  std::string path = CheckpointFolder::unfinishedPath(options.folder, step);
  auto outcome = std::make_shared<Outcome>();
  std::shared_ptr<RankShard> &shard = shards[size_t(rank.rank() - firstRank)];
  if (!shard)
    shard = std::make_shared<RankShard>(layout, rank);
  auto write = [path, outcome, shard](const auto &...source) {
    abi::CheckpointShard entry;
    outcome->status = shard->write(path, entry, source...);
    outcome->bytes = entry.bytes();
    outcome->hash = entry.hash();
    return Status();
  };
  std::shared_ptr<BackgroundTask> writing;
  bool copies = !isLast && !options.waits;
  // Without memory for copies, the rank writes its blocks from where they are.
  if (copies && catchExceptions([&] { return shard->copyBlocks(rank); }).ok()) {
    writing = BackgroundTask::start([write] { return write(); });
  } else {
    shard->dropCopies();
    (void)write(rank);
  }
  return Unfinished{step, std::move(facts), std::move(writing), std::move(outcome)};
}

Status TrainingCheckpoints::finish(RankExecutor &rank, bool isLast) {
  std::optional<Unfinished> own = std::exchange(unfinishedOf(rank), std::nullopt);
  if (!own)
    return {};
  Outcome &outcome = outcomes[size_t(rank.rank())];
  Status ended = own->writing ? own->writing->wait() : Status();
  outcome = *own->outcome;
  if (!ended.ok()) // an exception, most often of a full memory
    outcome.status = std::move(ended);
  if (Status status = gather(rank); !status.ok())
    return status;
  if (rank.rank() != 0)
    return {};
  abi::CheckpointManifest manifest = *layout;
  manifest.set_pcc_version(options.pccVersion);
  manifest.set_step(own->step);
  manifest.set_seed(options.seed);
  *manifest.mutable_data() = own->facts.data;
  if (own->facts.evaluation)
    *manifest.mutable_evaluation() = *own->facts.evaluation;
  Status written = begun;
  for (abi::CheckpointShard &shard : *manifest.mutable_shards()) {
    const Outcome &other = outcomes[size_t(shard.rank())];
    shard.set_bytes(other.bytes);
    shard.set_hash(other.hash);
    if (written.ok())
      written = other.status;
  }
  auto publishAll = [self = shared_from_this(), manifest = std::move(manifest),
                     written = std::move(written), isBest = own->facts.isBest, isLast] {
    Status status = written.ok() ? self->publish(manifest, isBest) : written;
    return status.ok() ? status : self->giveUp(manifest.step(), std::move(status), isLast);
  };
  if (isLast)
    return publishAll();
  publishing = BackgroundTask::start(publishAll);
  return options.waits ? publishing->wait() : Status();
}

/// Waits until all checkpoints that were begun are published.
Status TrainingCheckpoints::finishAll(RankExecutor &rank) {
  if (Status status = finish(rank); !status.ok())
    return status;
  if (rank.rank() == 0 && publishing)
    (void)publishing->wait(); // it has warned of its failure
  return rank.barrier("at the barrier before a rollback");
}

Expected<bool> TrainingCheckpoints::rollsBack(RankExecutor &rank, std::optional<int64_t> step) {
  constexpr int64_t none = std::numeric_limits<int64_t>::min();
  std::array<int64_t, 1> first = {step ? -*step : none}; // the first step has the greatest number
  if (Status status = rank.maxOfRanks(first, "to agree on a rollback"); !status.ok())
    return status;
  if (first[0] == none)
    return false;
  if (Status status = finishAll(rank); !status.ok())
    return status;
  std::array<int64_t, 1> latest = {rank.rank() == 0 ? lastWrittenStep : none};
  if (Status status = rank.maxOfRanks(latest, "to agree on a rollback"); !status.ok())
    return status;
  if (rank.rank() == firstRank)
    rollback = {-first[0], latest[0] < 0
                               ? options.resumedFrom
                               : CheckpointFolder::completePath(options.folder, latest[0])};
  return true;
}

std::optional<Rollback> TrainingCheckpoints::takeRollback() {
  if (rollback)
    schedule.restart();
  return std::exchange(rollback, std::nullopt);
}

/// Sends the outcome of a rank of another process to rank 0, which receives all of them. Rank 0 has
/// those of its own process after the barrier.
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
    if (Status status = rank.sendToFirstRank(std::move(messages)); !status.ok())
      return status;
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
  return rank.barrier("at the barrier after a checkpoint");
}

/// Writes the manifest and gives the checkpoint its name.
Status TrainingCheckpoints::publish(const abi::CheckpointManifest &manifest, bool isBest) {
  std::string path = CheckpointFolder::unfinishedPath(options.folder, manifest.step());
  for (const abi::CheckpointShard &shard : manifest.shards()) {
    std::string file = path + "/" + shard.file();
    std::error_code error;
    if (uint64_t got = std::filesystem::file_size(file, error); error || got != shard.bytes())
      return Status::badInput(fmt::format(
          "{}: expected {} bytes from rank {}, got {}; '--checkpoint' needs a folder that all "
          "processes share",
          file, shard.bytes(), shard.rank(), error ? "no file" : std::to_string(got)));
  }
  if (Status status = writeManifest(manifest, path); !status.ok())
    return status;
  if (Status status = folder->publish(manifest.step()); !status.ok())
    return status;
  lastWritten = CheckpointFolder::completePath(options.folder, manifest.step());
  lastWrittenStep = manifest.step();
  options.written(lastWritten);
  if (isBest)
    if (Status marked = folder->markBest(manifest.step()); !marked.ok())
      options.warn(marked.message());
  // The new checkpoint counts, whatever happens to old ones.
  if (Status removed = folder->removeOld(options.keep, manifest.step()); !removed.ok())
    options.warn(removed.message());
  return {};
}

/// Removes what was written of a checkpoint. Returns the error if the checkpoint is the last one of
/// the run; otherwise warns of it.
Status TrainingCheckpoints::giveUp(int64_t step, Status status, bool isLast) {
  folder->abandon(step);
  status =
      std::move(status).within(fmt::format("no checkpoint after step {}, the last one is {}", step,
                                           lastWritten.empty() ? "none" : "'" + lastWritten + "'"));
  if (isLast)
    return status;
  options.warn(status.message());
  return {};
}

} // namespace pcc::runtime
