// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements messages, the communicator and the world. The communicator passes a batch to a local
// group, to MPI messages or to an MPI group. At the start, the processes gather each other's names
// and the hash of the data that must be equal, and make the group of all ranks: later, one process
// may take longer than others to open its devices.

#include "runtime/collective/mpi/MpiWorld.h"

#include "runtime/abi/program/CollectiveName.h"
#include "runtime/base/KeepUntilExit.h"
#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Parts.h"
#include "runtime/collective/mpi/ProcessGroup.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unistd.h>

namespace pcc::runtime::mpi {
namespace {

/// One side of a send or receive between ranks. It goes through MPI even within one process. It
/// owns all that the engine uses, except for the call's buffer: an aborted wait ends before MPI
/// does.
class Message final : public Activity {
public:
  /// Prepares `call` of the member at `position`.
  Message(std::shared_ptr<const MpiGroup> group, std::shared_ptr<const Abort> abort, int position,
          const CollectiveCall &call)
      : group(std::move(group)), abort(std::move(abort)), position(position), call(call) {}

  /// Starts the message. Called on the engine's thread.
  void start();
  bool advance() override;
  bool isIdle() const override { return isDone; }

  const Completion &completion() const { return whenDone; }

private:
  const Members &members() const { return group->members(); }
  Expected<int32_t> tag() const;
  void end(Status status);
  Status checkSize(int64_t bytes) const;

  const std::shared_ptr<const MpiGroup> group;
  const std::shared_ptr<const Abort> abort;
  const int position;
  const CollectiveCall call;
  PccMpiRequest request = 0;
  bool isStarted = false, isDone = false;
  Completion whenDone;
};

/// Returns MPI's tag. MPI knows processes, not ranks, so the tag includes which member of a process
/// sends and which one receives.
Expected<int32_t> Message::tag() const {
  bool isSend = call.kind == abi::SEND;
  int sender = members().indexInProcess(isSend ? position : call.root);
  int receiver = members().indexInProcess(isSend ? call.root : position);
  size_t most = 0;
  for (const std::vector<int> &positions : members().positionsOf)
    most = std::max(most, positions.size());
  int64_t each = int64_t(most);
  int64_t whole = (int64_t(call.tag) * each + sender) * each + receiver;
  if (int64_t greatest = group->messages().mpi.max_tag(); whole > greatest)
    return Status::failed(
        fmt::format("{}: expected a tag up to {} for {} ranks in a process, got {}",
                    abi::collectiveName(call.kind), greatest / (each * each) - 1, each, call.tag));
  return int32_t(whole);
}

void Message::start() {
  if (Status status = abort->status(); !status.ok())
    return end(std::move(status));
  if (call.count() > maxElements)
    return end(
        Status::failed(fmt::format("{}: expected at most {} elements in one message of MPI, "
                                   "got {}",
                                   abi::collectiveName(call.kind), maxElements, call.count())));
  Expected<int32_t> number = tag();
  if (!number)
    return end(number.status());
  Channel channel = group->messages();
  int32_t count = int32_t(call.count()), peer = members().processOf[call.root];
  isStarted = true;
  int code = call.kind == abi::SEND ? channel.mpi.send(call.source, count, widthOf(call), peer,
                                                       *number, channel.group, &request)
                                    : channel.mpi.receive(call.destination, count, widthOf(call),
                                                          peer, *number, channel.group, &request);
  if (code != 0)
    end(statusOf(channel.mpi, code));
}

bool Message::advance() {
  if (isDone || !isStarted)
    return false;
  Channel channel = group->messages();
  int32_t done = 0;
  int64_t bytes = 0;
  int code = channel.mpi.test(&request, &done, &bytes);
  if (code != 0)
    end(statusOf(channel.mpi, code));
  else if (done)
    end(call.kind == abi::RECV ? checkSize(bytes) : Status());
  return isDone;
}

Status Message::checkSize(int64_t bytes) const {
  if (bytes == bytesOf(call))
    return {};
  return Status::failed(fmt::format("rank {} sent {} bytes, but rank {} expected {} elements of {}",
                                    members().ranks[call.root], bytes, members().ranks[position],
                                    call.count(), abi::elementName(call.type)));
}

void Message::end(Status status) {
  isDone = true;
  whenDone.set(std::move(status));
}

class MpiCommunicator final : public Communicator {
public:
  MpiCommunicator(std::shared_ptr<ProcessGroup> processGroup, int position)
      : processGroup(std::move(processGroup)), ownPosition(position),
        index(this->processGroup->members().indexInProcess(position)) {}

  int position() const override { return ownPosition; }
  int size() const override { return processGroup->members().size(); }
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, TransferInterval &interval) override;
  void abort(const std::string &reason) override {
    processGroup->world().control->abort({StatusKind::Aborted, reason});
  }
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  /// A batch between start and wait: a local one, collectives or messages.
  struct Batch {
    std::optional<Request> local = {};
    std::shared_ptr<Round> round = {};
    std::vector<std::shared_ptr<Message>> messages = {};
  };
  void startMessages(std::span<const CollectiveCall> calls, Batch &batch);

  const std::shared_ptr<ProcessGroup> processGroup;
  const int ownPosition, index;
  uint64_t started = 0, rounds = 0, splits = 0;
  std::map<uint64_t, Batch> batches;
};

Expected<Request> MpiCommunicator::start(std::span<const CollectiveCall> calls) {
  if (Status status = processGroup->world().abort->status(); !status.ok())
    return status;
  Batch batch;
  if (!processGroup->group()) {
    Expected<Request> local = processGroup->local(index).start(calls);
    if (!local)
      return local.status();
    batch.local = *local;
  } else if (areMessages(calls)) {
    startMessages(calls, batch);
  } else {
    batch.round = processGroup->group()->arrive(index, rounds++, calls);
  }
  batches.emplace(started, std::move(batch));
  return Request{started++};
}

void MpiCommunicator::startMessages(std::span<const CollectiveCall> calls, Batch &batch) {
  const Shared &world = processGroup->world();
  for (const CollectiveCall &call : calls)
    batch.messages.push_back(
        std::make_shared<Message>(processGroup->group(), world.abort, ownPosition, call));
  Engine &engine = *world.engine;
  engine.submit([&engine, messages = batch.messages] {
    for (const std::shared_ptr<Message> &message : messages) {
      engine.add(message);
      message->start();
    }
  });
}

Status MpiCommunicator::wait(Request request, TransferInterval &interval) {
  Batch batch = std::move(batches.at(request.number));
  batches.erase(request.number);
  interval = {};
  const Abort &abort = *processGroup->world().abort;
  if (batch.local)
    return processGroup->local(index).wait(*batch.local, interval);
  if (batch.round)
    return batch.round->completion.wait(abort, interval);
  Status status;
  for (const std::shared_ptr<Message> &message : batch.messages)
    if (Status own = message->completion().wait(abort, interval); status.ok())
      status = own;
  return status;
}

Expected<std::unique_ptr<Communicator>> MpiCommunicator::split(int color, int key) {
  struct Exchange {
    SplitChoice own;
    std::vector<SplitChoice> choices;
    CollectiveCall call;
  };
  auto exchange = std::make_shared<Exchange>();
  exchange->own = {color, key};
  exchange->choices.resize(size_t(size()));
  exchange->call = {.kind = abi::ALL_GATHER, .type = abi::I32, .shape = {1, 2}};
  exchange->call.source = &exchange->own;
  exchange->call.destination = exchange->choices.data();
  if (Status status = runOwned({&exchange->call, 1}, exchange); !status.ok())
    return status;
  Expected<std::shared_ptr<ProcessGroup>> child =
      processGroup->childOf(splits++, exchange->choices, color);
  if (!child)
    return child.status();
  int rank = processGroup->members().ranks[ownPosition];
  const std::vector<int> &ranks = (*child)->members().ranks;
  int position = int(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  return std::unique_ptr<Communicator>(
      std::make_unique<MpiCommunicator>(std::move(*child), position));
}

/// The data that each process sends to all others at the start.
struct Greeting {
  char name[120] = {};
  uint64_t common = 0;
};

class MpiWorld final : public World {
public:
  MpiWorld(std::shared_ptr<Shared> shared, std::shared_ptr<ProcessGroup> all,
           std::vector<Greeting> greetings)
      : World(shared->placement, shared->engine->process()), shared(std::move(shared)),
        all(std::move(all)), greetings(std::move(greetings)) {}

  Expected<std::vector<std::unique_ptr<Communicator>>> connect() override {
    std::vector<std::unique_ptr<Communicator>> communicators;
    for (int i = 0; i < ownRanks(); ++i)
      communicators.push_back(std::make_unique<MpiCommunicator>(all, firstRank() + i));
    return communicators;
  }

  std::string nameOf(int process) const override {
    return fmt::format("process {} ({})", process, greetings[process].name);
  }
  void answerWith(std::function<std::string()> report) override {
    shared->control->answerWith(std::move(report));
  }
  std::vector<std::optional<std::string>> ask(double seconds) override {
    return shared->control->ask(seconds);
  }
  void onAbort(std::function<void(const std::string &)> listener) const override {
    shared->abort->listen(std::move(listener));
  }
  Status close() override { return shared->engine->end(); }
  void keep(std::shared_ptr<const void> memory) const override { keepUntilExit(std::move(memory)); }

private:
  const std::shared_ptr<const Shared> shared;
  /// The group of all ranks; null in a process without ranks.
  const std::shared_ptr<ProcessGroup> all;
  const std::vector<Greeting> greetings;
};

Greeting ownGreeting(const std::string &common) {
  char host[80] = "?";
  gethostname(host, sizeof host - 1);
  Greeting greeting{.common = std::hash<std::string>()(common)};
  std::snprintf(greeting.name, sizeof greeting.name, "%d on %s", int(getpid()), host);
  return greeting;
}

/// The first exchange of all processes.
struct Greetings {
  PccMpiGroup group = 0; ///< of the control messages
  Greeting own;
  std::vector<Greeting> all; ///< by process
};

/// Makes the group and gathers every process's greeting. Called on the engine's thread.
int greet(const PccMpi &mpi, Greetings &greetings) {
  constexpr int32_t controlTag = 3;
  std::vector<int32_t> everyone, counts, offsets;
  for (size_t p = 0; p < greetings.all.size(); ++p) {
    everyone.push_back(int32_t(p));
    counts.push_back(sizeof(Greeting));
    offsets.push_back(int32_t(p * sizeof(Greeting)));
  }
  int code = mpi.make(everyone.data(), int32_t(everyone.size()), controlTag, &greetings.group);
  PccMpiRequest request = 0;
  if (code == 0)
    code = mpi.all_gather(&greetings.own, sizeof(Greeting), greetings.all.data(), counts.data(),
                          offsets.data(), 1, greetings.group, &request);
  int64_t bytes = 0;
  for (int32_t done = 0; code == 0 && !done;)
    code = mpi.test(&request, &done, &bytes);
  return code;
}

Expected<std::shared_ptr<ProcessGroup>> makeGroupOfAll(std::shared_ptr<const Shared> shared) {
  if (shared->placement.countOf(shared->engine->process()) == 0)
    return std::shared_ptr<ProcessGroup>();
  std::vector<int> all(size_t(shared->placement.ranks));
  std::iota(all.begin(), all.end(), 0);
  return ProcessGroup::make(std::move(shared), std::move(all));
}

} // namespace

Expected<std::unique_ptr<World>> makeWorld(std::shared_ptr<Engine> engine, int ranks,
                                           const WorldOptions &options) {
  auto shared = std::make_shared<Shared>();
  shared->engine = engine;
  shared->placement = {ranks, engine->processes()};
  shared->reductions = options.reductions;
  shared->cores = options.cores;
  auto greetings = std::make_shared<Greetings>();
  greetings->own = ownGreeting(options.common);
  greetings->all.resize(size_t(engine->processes()));
  Status met = engine->meet("the first exchange of MPI", [greetings, &mpi = engine->mpi()] {
    return statusOf(mpi, greet(mpi, *greetings));
  });
  if (!met.ok())
    return met;
  const std::vector<Greeting> &all = greetings->all;
  for (size_t p = 1; p < all.size(); ++p)
    if (all[p].common != all[0].common)
      return Status::badUsage(fmt::format(
          "process {} ({}) runs another program than process 0 ({})", p, all[p].name, all[0].name));
  shared->control = std::make_shared<Control>(engine, greetings->group, shared->abort);
  shared->control->open(shared->placement.nameRanksOf(engine->process()));
  Expected<std::shared_ptr<ProcessGroup>> group = makeGroupOfAll(shared);
  if (!group)
    return group.status();
  return std::unique_ptr<World>(std::make_unique<MpiWorld>(std::move(shared), *group, all));
}

} // namespace pcc::runtime::mpi
