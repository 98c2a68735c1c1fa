// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/store/StoreCommunicator.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/collective/local/Pieces.h"
#include "runtime/collective/store/Wire.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::store {

Expected<Request> StoreCommunicator::start(std::span<const CollectiveCall> calls) {
  if (Status status = client->reason(); !status.ok())
    return status;
  bool isMessages = !calls.empty() && (calls[0].kind == abi::SEND || calls[0].kind == abi::RECV);
  Batch batch{.calls = calls, .isMessages = isMessages, .keys = {}};
  if (Status status = isMessages ? startMessages(batch) : startCollectives(batch); !status.ok())
    return status;
  batches.emplace(started, std::move(batch));
  return Request{started++};
}

Status StoreCommunicator::startMessages(Batch &batch) {
  for (const CollectiveCall &call : batch.calls) {
    bool sends = call.kind == abi::SEND;
    int sender = sends ? place : call.root, receiver = sends ? call.root : place;
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
  return client->set(batch.keys[size_t(place)], packCalls(batch.calls), /*uses=*/size());
}

Status StoreCommunicator::wait(Request request, Passage &passage) {
  Batch batch = std::move(batches.at(request.number));
  batches.erase(request.number);
  Status status = batch.isMessages ? finishMessages(batch) : finishCollectives(batch);
  passage = {.begin = 0, .end = nowNanoseconds()};
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
    CollectiveCall sent = unpackCalls(values->front()).front();
    Status status = checkMessage(sent, call);
    if (status.ok())
      std::memcpy(call.destination, sent.source,
                  size_t(call.count()) * abi::elementBytes(call.type));
    else if (outcome.ok())
      outcome = status;
  }
  return outcome;
}

Status StoreCommunicator::checkMessage(const CollectiveCall &sent,
                                       const CollectiveCall &call) const {
  if (sent.type == call.type && sent.shape == call.shape)
    return {};
  return Status::failed(fmt::format("rank {} sent {} elements of {}, but rank {} expected {} of {}",
                                    ranks[size_t(call.root)], sent.count(),
                                    abi::elementName(sent.type), ranks[size_t(place)], call.count(),
                                    abi::elementName(call.type)));
}

/// Does the own part of a call, given all members' calls by position.
static Status finishCall(local::MemberCalls calls, std::span<const int> ranks) {
  if (Status status = local::checkSame(calls, ranks); !status.ok())
    return status;
  for (int64_t piece = 0, count = local::pieceCount(calls); piece < count; ++piece)
    local::doPiece(calls, piece);
  return {};
}

Status StoreCommunicator::finishCollectives(const Batch &batch) {
  Expected<Client::Values> values = client->get(batch.keys);
  if (!values)
    return values.status();
  std::vector<std::vector<CollectiveCall>> said;
  for (const std::string &value : *values)
    said.push_back(unpackCalls(value));
  for (int position = 1; position < size(); ++position)
    if (said[size_t(position)].size() != said[0].size())
      return Status::failed(
          fmt::format("rank {} called a batch of {} collectives, but rank {} one of {}", ranks[0],
                      said[0].size(), ranks[size_t(position)], said[size_t(position)].size()));
  for (size_t c = 0; c < batch.calls.size(); ++c) {
    // The own one writes where the rank wants it, and reads what was put away at the start.
    CollectiveCall own = batch.calls[c];
    own.source = said[size_t(place)][c].source;
    std::vector<const CollectiveCall *> calls;
    for (const std::vector<CollectiveCall> &member : said)
      calls.push_back(&member[c]);
    calls[size_t(place)] = &own;
    if (Status status = finishCall(calls, ranks); !status.ok())
      return status;
  }
  return {};
}

void StoreCommunicator::abort(const std::string &reason) {
  (void)client->set(giveUpKey, reason); // where it cannot be said, the others notice the connection
  client->giveUp({StatusKind::Aborted, reason});
}

Expected<std::unique_ptr<Communicator>> StoreCommunicator::split(int color, int key) {
  struct Choice {
    int32_t color, key;
  };
  Choice own{color, key};
  std::vector<Choice> choices(ranks.size());
  CollectiveCall call{.kind = abi::ALL_GATHER, .type = abi::I32, .source = &own, .shape = {1, 2}};
  call.destination = choices.data();
  if (Status status = run({&call, 1}); !status.ok())
    return status;
  std::vector<int> positions;
  for (int position = 0; position < size(); ++position)
    if (choices[size_t(position)].color == color)
      positions.push_back(position);
  std::ranges::stable_sort(positions, {},
                           [&](int position) { return choices[size_t(position)].key; });
  std::vector<int> members;
  for (int position : positions)
    members.push_back(ranks[size_t(position)]);
  int position = int(std::ranges::find(positions, place) - positions.begin());
  return std::unique_ptr<Communicator>(std::make_unique<StoreCommunicator>(
      client, fmt::format("{}.{}:{}", group, splits++, color), std::move(members), position));
}

} // namespace pcc::runtime::store
