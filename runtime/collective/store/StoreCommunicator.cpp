// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wait() decodes the calls of all members from the bytes that they stored. Only the own call has a
// destination, so doing all work units computes just this member's result. A SEND is done as soon
// as it is stored. A split gathers the choices with an all-gather.

#include "runtime/collective/store/StoreCommunicator.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/CollectiveName.h"
#include "runtime/collective/local/WorkUnits.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::store {

Expected<Request> StoreCommunicator::start(std::span<const CollectiveCall> calls) {
  if (Status status = client->reason(); !status.ok())
    return status;
  bool isMessages = areMessages(calls);
  Batch batch{.calls = calls, .isMessages = isMessages, .keys = {}};
  if (Status status = isMessages ? startMessages(batch) : startCollectives(batch); !status.ok())
    return status;
  batches.emplace(started, std::move(batch));
  return Request{started++};
}

Status StoreCommunicator::startMessages(Batch &batch) {
  for (const CollectiveCall &call : batch.calls) {
    bool sends = call.kind == abi::SEND;
    int sender = sends ? ownPosition : call.root, receiver = sends ? call.root : ownPosition;
    uint64_t number = messages[{sender, receiver, call.tag}]++;
    batch.keys.push_back(fmt::format("{} {}>{} {} {}", group, sender, receiver, call.tag, number));
    if (sends)
      if (Status status = client->set(batch.keys.back(), packCalls({&call, 1}), /*uses=*/1);
          !status.ok())
        return status;
  }
  return {};
}

Status StoreCommunicator::startCollectives(Batch &batch) {
  for (int position = 0; position < size(); ++position)
    batch.keys.push_back(fmt::format("{} {} {}", group, rounds, position));
  ++rounds;
  return client->set(batch.keys[size_t(ownPosition)], packCalls(batch.calls), /*uses=*/size());
}

Status StoreCommunicator::wait(Request request, TransferInterval &interval) {
  Batch batch = std::move(batches.at(request.number));
  batches.erase(request.number);
  Status status = batch.isMessages ? finishMessages(batch) : finishCollectives(batch);
  interval = {.begin = 0, .end = nowNanoseconds()};
  return status;
}

Status StoreCommunicator::finishMessages(const Batch &batch) {
  Status outcome;
  for (size_t i = 0; i < batch.calls.size(); ++i) {
    const CollectiveCall &call = batch.calls[i];
    if (call.kind == abi::SEND)
      continue; // the store has it
    Expected<Client::Values> values = client->get({batch.keys[i]});
    if (!values)
      return values.status();
    Expected<std::vector<CollectiveCall>> sent = unpackFrom(call.root, values->front());
    if (!sent)
      return sent.status();
    Status status = checkMessage(*sent, call);
    if (status.ok() && call.count() > 0)
      std::memcpy(call.destination, sent->front().source,
                  size_t(call.count()) * abi::elementBytes(call.type));
    else if (outcome.ok())
      outcome = status;
  }
  return outcome;
}

/// Unpacks the calls that the member at a position stored.
Expected<std::vector<CollectiveCall>>
StoreCommunicator::unpackFrom(int position, const std::string &bytes) const {
  Expected<std::vector<CollectiveCall>> calls = unpackCalls(bytes);
  if (calls)
    return calls;
  return calls.status().within(
      fmt::format("what rank {} said is no batch", ranks[size_t(position)]));
}

Status StoreCommunicator::checkMessage(std::span<const CollectiveCall> senderCalls,
                                       const CollectiveCall &call) const {
  int sender = ranks[size_t(call.root)];
  if (senderCalls.size() != 1 || (!senderCalls[0].source && senderCalls[0].count() > 0))
    return Status::failed(fmt::format("what rank {} sent is no message", sender));
  return runtime::checkMessage(senderCalls[0], sender, call, ranks[size_t(ownPosition)]);
}

/// Returns whether a call reads the source of the member at a position.
static bool isRead(const CollectiveCall &call, int position) {
  if (call.count() == 0)
    return false;
  switch (call.kind) {
  case abi::BARRIER:
    return false;
  case abi::BROADCAST:
    return position == call.root;
  case abi::COLLECTIVE_PERMUTE:
  case abi::BLOCK_EXCHANGE:
    return std::ranges::any_of(call.boxes, [&](const Box &box) { return box.source == position; });
  default:
    return true;
  }
}

/// Computes the result of the member at `ownPosition`, given all members' calls by position.
static Status finishCall(MemberCalls calls, int ownPosition, std::span<const int> ranks) {
  if (Status status = checkSame(calls, ranks); !status.ok())
    return status;
  for (size_t position = 0; position < calls.size(); ++position)
    if (!calls[position]->source && isRead(*calls[size_t(ownPosition)], int(position)))
      return Status::failed(fmt::format("rank {} called {} without a source", ranks[position],
                                        abi::collectiveName(calls[position]->kind)));
  for (int64_t unit = 0, count = local::workUnitCount(calls); unit < count; ++unit)
    local::doWorkUnit(calls, unit);
  return {};
}

Status StoreCommunicator::finishCollectives(const Batch &batch) {
  Expected<Client::Values> values = client->get(batch.keys);
  if (!values)
    return values.status();
  std::vector<std::vector<CollectiveCall>> memberCalls;
  for (int position = 0; position < size(); ++position) {
    Expected<std::vector<CollectiveCall>> calls = unpackFrom(position, (*values)[size_t(position)]);
    if (!calls)
      return calls.status();
    memberCalls.push_back(std::move(*calls));
  }
  if (memberCalls[size_t(ownPosition)].size() != batch.calls.size())
    return Status::failed(
        fmt::format("rank {} did not say what the store has of it", ranks[size_t(ownPosition)]));
  for (int position = 1; position < size(); ++position)
    if (memberCalls[size_t(position)].size() != memberCalls[0].size())
      return Status::failed(fmt::format(
          "rank {} called a batch of {} collectives, but rank {} one of {}", ranks[0],
          memberCalls[0].size(), ranks[size_t(position)], memberCalls[size_t(position)].size()));
  for (size_t c = 0; c < batch.calls.size(); ++c) {
    // The own call writes to the rank's destination, and reads the source as stored at the start.
    CollectiveCall own = batch.calls[c];
    own.source = memberCalls[size_t(ownPosition)][c].source;
    std::vector<const CollectiveCall *> calls;
    for (const std::vector<CollectiveCall> &member : memberCalls)
      calls.push_back(&member[c]);
    calls[size_t(ownPosition)] = &own;
    if (Status status = finishCall(calls, ownPosition, ranks); !status.ok())
      return status;
  }
  return {};
}

void StoreCommunicator::abort(const std::string &reason) {
  if (!client->reason().ok())
    return; // the others know, or cannot be told
  // If sending fails, the others notice the broken connection.
  (void)client->offer(abortKey, reason);
  client->abortRun({StatusKind::Aborted, reason});
}

Expected<std::unique_ptr<Communicator>> StoreCommunicator::split(int color, int key) {
  SplitChoice own{color, key};
  std::vector<SplitChoice> choices(ranks.size());
  CollectiveCall call{.kind = abi::ALL_GATHER, .type = abi::I32, .source = &own, .shape = {1, 2}};
  call.destination = choices.data();
  if (Status status = run({&call, 1}); !status.ok())
    return status;
  std::vector<int> positions = membersOfColor(choices, color), members;
  for (int position : positions)
    members.push_back(ranks[size_t(position)]);
  int position = int(std::ranges::find(positions, ownPosition) - positions.begin());
  return std::unique_ptr<Communicator>(std::make_unique<StoreCommunicator>(
      client, fmt::format("{}.{}:{}", group, splits++, color), std::move(members), position));
}

} // namespace pcc::runtime::store
