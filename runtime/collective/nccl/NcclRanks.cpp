// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// join() creates the communicator of all ranks, then one per route. Ids travel over `host`. On a
// route's communicator the sender has rank 0 and the receiver rank 1. Collectives become a plan
// (Plan.h) on the group's stream; a barrier runs on the host.

#include "runtime/collective/nccl/NcclRanks.h"

#include "runtime/collective/nccl/CommStream.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pcc::runtime::nccl {
namespace {

/// The streams of a rank's messages, by sender, receiver and tag.
using MessageStreams = std::map<std::tuple<int, int, uint32_t>, std::shared_ptr<CommStream>>;

class NcclCommunicator final : public Communicator {
public:
  NcclCommunicator(std::shared_ptr<Communicator> host, std::unique_ptr<CommStream> commStream,
                   cuda::RankParts parts, std::shared_ptr<RankComms> comms,
                   std::shared_ptr<NcclRanks> ncclRanks, MessageStreams messages)
      : host(std::move(host)), comms(std::move(comms)), commStream(std::move(commStream)),
        parts(parts), ncclRanks(std::move(ncclRanks)), messages(std::move(messages)) {}

  int position() const override { return host->position(); }
  int size() const override { return host->size(); }
  bool isEnqueued() const override { return true; }
  Status reserve(std::span<const CollectiveCall> calls) override;
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, TransferInterval &interval) override;
  Status status() const override { return comms->status(); }
  Status checkPeers() override { return comms->checkPeers(); }
  void abort(const std::string &reason) override {
    host->abort(reason);
    ncclRanks->abort(reason);
  }
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  /// A batch between start and wait: its work on each stream, and a barrier of the host.
  struct Batch {
    std::vector<std::pair<CommStream *, std::shared_ptr<StreamWork>>> streamWork;
    std::optional<Request> barrier;
  };
  Plan planOf(std::span<const CollectiveCall> collectives);
  Status startCollectives(std::span<const CollectiveCall> calls, Batch &batch);
  Status startMessages(std::span<const CollectiveCall> calls, Batch &batch);
  Expected<CommStream *> commStreamOf(const CollectiveCall &message) const;

  const std::shared_ptr<Communicator> host;
  const std::shared_ptr<RankComms> comms;
  const std::unique_ptr<CommStream> commStream;
  const cuda::RankParts parts;
  const std::shared_ptr<NcclRanks> ncclRanks;
  const MessageStreams messages;
  uint64_t started = 0;
  std::map<uint64_t, Batch> batches;
};

Expected<Request> NcclCommunicator::start(std::span<const CollectiveCall> calls) {
  Batch batch;
  Status status = areMessages(calls) ? startMessages(calls, batch) : startCollectives(calls, batch);
  if (!status.ok())
    return status;
  batches.emplace(started, std::move(batch));
  return Request{started++};
}

/// Plans collectives. The plan uses the stream's temporary memory, which the next plan reuses.
Plan NcclCommunicator::planOf(std::span<const CollectiveCall> collectives) {
  Plan plan;
  commStream->memory().reset();
  auto take = [&](int64_t bytes) { return commStream->memory().take(bytes); };
  for (const CollectiveCall &call : collectives)
    addCall(call, position(), size(), take, plan);
  return plan;
}

/// Messages need no memory.
Status NcclCommunicator::reserve(std::span<const CollectiveCall> calls) {
  if (!areMessages(calls))
    (void)planOf(calls);
  return commStream->memory().status();
}

Status NcclCommunicator::startCollectives(std::span<const CollectiveCall> calls, Batch &batch) {
  Plan plan = planOf(calls);
  for (const CollectiveCall &call : calls) {
    // The host's threads run a barrier: no bytes depend on it.
    if (call.kind == abi::BARRIER && !batch.barrier) {
      Expected<Request> barrier = host->start({&call, 1});
      if (!barrier)
        return barrier.status();
      batch.barrier = *barrier;
    }
  }
  std::vector<Operation> operations = std::move(plan.operations);
  if (operations.empty() && plan.before.empty() && plan.after.empty())
    return commStream->rank().status();
  Expected<std::shared_ptr<StreamWork>> work = commStream->begin(std::move(plan));
  if (!work)
    return work.status();
  batch.streamWork.emplace_back(commStream.get(), *work);
  Status status = comms->group([&] {
    for (const Operation &operation : operations)
      if (Status called =
              callOperation(comms->library(), operation, commStream->comm(), commStream->stream());
          !called.ok())
        return called;
    return Status();
  });
  return status.ok() ? commStream->tryFinishEnqueue() : status;
}

Expected<CommStream *> NcclCommunicator::commStreamOf(const CollectiveCall &message) const {
  bool sends = message.kind == abi::SEND;
  int sender = sends ? position() : message.root, receiver = sends ? message.root : position();
  auto found = messages.find({sender, receiver, message.tag});
  if (found == messages.end())
    return Status::failed(fmt::format(
        "rank {} {} a message with tag {} {} rank {}, of which nobody knew before", position(),
        sends ? "sends" : "expects", message.tag, sends ? "to" : "from", message.root));
  return found->second.get();
}

/// Starts all messages in one group, so that none waits for another on the host.
Status NcclCommunicator::startMessages(std::span<const CollectiveCall> calls, Batch &batch) {
  std::vector<std::pair<CommStream *, Operation>> operations;
  for (const CollectiveCall &call : calls) {
    Expected<CommStream *> own = commStreamOf(call);
    if (!own)
      return own.status();
    Plan plan;
    addMessage(call, /*peer=*/call.kind == abi::SEND ? 1 : 0, plan);
    for (const Operation &operation : plan.operations)
      operations.emplace_back(*own, operation);
    bool isKnown = std::any_of(batch.streamWork.begin(), batch.streamWork.end(),
                               [&](const auto &work) { return work.first == *own; });
    if (isKnown)
      continue;
    Expected<std::shared_ptr<StreamWork>> work = (*own)->begin({});
    if (!work)
      return work.status();
    batch.streamWork.emplace_back(*own, *work);
  }
  Status status = comms->group([&] {
    for (const auto &[own, operation] : operations)
      if (Status called = callOperation(comms->library(), operation, own->comm(), own->stream());
          !called.ok())
        return called;
    return Status();
  });
  for (const auto &[own, work] : batch.streamWork)
    if (status.ok())
      status = own->tryFinishEnqueue();
  return status;
}

Status NcclCommunicator::wait(Request request, TransferInterval &interval) {
  interval = {};
  auto node = batches.extract(request.number);
  Batch &batch = node.mapped();
  Status status;
  if (batch.barrier)
    status = host->wait(*batch.barrier);
  for (const auto &[own, work] : batch.streamWork)
    if (status.ok()) {
      status = own->finish(*work);
      if (work->deviceSpan.begin && work->deviceSpan.end)
        interval.deviceSpans.push_back(work->deviceSpan);
    }
  return status;
}

Expected<std::unique_ptr<Communicator>> NcclCommunicator::split(int color, int key) {
  Expected<std::unique_ptr<Communicator>> part = host->split(color, key);
  if (!part)
    return part.status();
  Expected<CommHandle> comm = comms->split(commStream->comm(), color, key);
  if (!comm)
    return comm.status();
  Expected<std::unique_ptr<CommStream>> own = CommStream::make(comms, *comm, parts);
  if (!own)
    return own.status();
  return std::unique_ptr<Communicator>(std::make_unique<NcclCommunicator>(
      std::move(*part), std::move(*own), parts, comms, ncclRanks, MessageStreams()));
}

/// Sends or receives an id over the host communicator. Returns the id that all sides then have.
Expected<UniqueId> exchange(Communicator &host, abi::CollectiveKind kind, const UniqueId &own,
                            int peer) {
  struct Exchange {
    UniqueId id;
    CollectiveCall call;
  };
  auto exchange = std::make_shared<Exchange>();
  exchange->id = own;
  exchange->call = {.kind = kind, .type = abi::I8, .shape = {sizeof own}};
  exchange->call.source = exchange->call.destination = &exchange->id;
  exchange->call.root = peer;
  if (Status status = host.runOwned({&exchange->call, 1}, exchange); !status.ok())
    return status;
  return exchange->id;
}

Expected<UniqueId> makeId(const Nccl &library) {
  UniqueId id;
  if (Status status = library.check(library.getUniqueId(&id), "ncclGetUniqueId"); !status.ok())
    return status;
  return id;
}

/// Creates the communicator of all ranks.
Expected<CommHandle> joinAll(Communicator &host, RankComms &comms) {
  UniqueId id = {};
  if (host.position() == 0) {
    Expected<UniqueId> made = makeId(comms.library());
    if (!made)
      return made.status();
    id = *made;
  }
  Expected<UniqueId> all = exchange(host, abi::BROADCAST, id, /*peer=*/0);
  if (!all)
    return all.status();
  return comms.init(host.size(), host.position(), *all, Purpose::Collectives);
}

/// Connects the two ends of a route: the sender, at position 0, makes the id.
Expected<std::shared_ptr<CommStream>> joinRoute(const Route &route, Communicator &host,
                                                const std::shared_ptr<RankComms> &comms,
                                                cuda::RankParts parts) {
  bool sends = host.position() == route.sender;
  UniqueId id = {};
  if (sends) {
    Expected<UniqueId> made = makeId(comms->library());
    if (!made)
      return made.status();
    id = *made;
  }
  Expected<UniqueId> ofBoth =
      exchange(host, sends ? abi::SEND : abi::RECV, id, sends ? route.receiver : route.sender);
  if (!ofBoth)
    return ofBoth.status();
  Expected<CommHandle> comm =
      comms->init(/*ranks=*/2, /*rank=*/sends ? 0 : 1, *ofBoth, Purpose::Messages);
  if (!comm)
    return comm.status();
  Expected<std::unique_ptr<CommStream>> commStream = CommStream::make(comms, *comm, parts);
  if (!commStream)
    return commStream.status();
  return std::shared_ptr<CommStream>(std::move(*commStream));
}

/// Sends a byte, since NCCL connects two ranks only when they exchange data.
Status connectRoute(CommStream &commStream, bool sends) {
  std::byte *memory = commStream.memory().take(1);
  if (!memory)
    return commStream.memory().status();
  Operation byte{.kind = sends ? Operation::Kind::Send : Operation::Kind::Receive,
                 .source = memory,
                 .target = memory,
                 .count = 1,
                 .peer = sends ? 1 : 0};
  RankComms &comms = commStream.rank();
  Status status = comms.group(
      [&] { return callOperation(comms.library(), byte, commStream.comm(), commStream.stream()); });
  if (status.ok())
    status = comms.meet(commStream.comm());
  return status.ok() ? commStream.synchronize() : status;
}

} // namespace

Expected<std::unique_ptr<Communicator>> NcclRanks::join(std::shared_ptr<Communicator> host,
                                                        cuda::RankParts parts) {
  auto comms = std::make_shared<RankComms>(library, options);
  // Work that a failure leaves on streams must end before the streams' destructors wait for it.
  auto failed = [&](const Status &status) {
    abort(status.message());
    return status;
  };
  {
    std::lock_guard lock(mutex);
    if (aborted)
      return Status(StatusKind::Aborted, *aborted);
    ranks.push_back(comms);
  }
  if (Status status = parts.stream.gpu->enter(); !status.ok())
    return failed(status);
  Expected<CommHandle> all = joinAll(*host, *comms);
  if (!all)
    return failed(all.status());
  Expected<std::unique_ptr<CommStream>> commStream = CommStream::make(comms, *all, parts);
  if (!commStream)
    return failed(commStream.status());
  // All ranks process their routes in the same order, so they cannot wait in a circle.
  MessageStreams messages;
  for (const Route &route : routes) {
    if (route.sender != host->position() && route.receiver != host->position())
      continue;
    Expected<std::shared_ptr<CommStream>> own = joinRoute(route, *host, comms, parts);
    Status status =
        own ? connectRoute(**own, /*sends=*/route.sender == host->position()) : own.status();
    if (!status.ok())
      return failed(status);
    for (uint32_t tag : route.tags)
      messages[{route.sender, route.receiver, tag}] = *own;
  }
  return std::unique_ptr<Communicator>(std::make_unique<NcclCommunicator>(
      std::move(host), std::move(*commStream), parts, std::move(comms), shared_from_this(),
      std::move(messages)));
}

void NcclRanks::abort(const std::string &reason) {
  auto together = std::make_shared<JointAbort>(library);
  std::vector<std::shared_ptr<RankComms>> alive; // destroyed after the lock is released
  {
    std::lock_guard lock(mutex);
    if (!aborted)
      aborted = reason;
    for (const std::weak_ptr<RankComms> &rank : ranks)
      if (std::shared_ptr<RankComms> comms = rank.lock())
        alive.push_back(std::move(comms));
    for (const std::shared_ptr<RankComms> &comms : alive)
      comms->abortRun(*aborted, together);
  }
  together->begin();
}

} // namespace pcc::runtime::nccl
