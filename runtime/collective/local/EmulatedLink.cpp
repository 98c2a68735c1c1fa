// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs come from runtime/machine and are cached by members, kind, bytes and messages. A transfer
// begins when its sides have arrived and its channels are free. A message frees its channels before
// its latency has passed. Durations are rounded up to nanoseconds.

#include "runtime/collective/local/EmulatedLink.h"

#include "runtime/abi/ElementTypes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace pcc::runtime::local {
namespace {

int64_t nanoseconds(double seconds) { return int64_t(std::ceil(seconds * 1e9)); }

/// Returns the bytes that boxes bring to the busiest member, and the number of its senders.
machine::Traffic trafficOfBoxes(const CollectiveCall &call) {
  std::map<int32_t, int64_t> elements;
  std::map<int32_t, std::set<int32_t>> senders;
  for (const Box &box : call.boxes) {
    if (box.source == box.target)
      continue;
    elements[box.target] += *abi::elementCount(box.size);
    senders[box.target].insert(box.source);
  }
  machine::Traffic traffic{.kind = abi::BLOCK_EXCHANGE};
  for (const auto &[target, count] : elements)
    traffic.bytes = std::max(traffic.bytes, double(count) * double(abi::elementBytes(call.type)));
  for (const auto &[target, others] : senders)
    traffic.messages = std::max(traffic.messages, int64_t(others.size()));
  return traffic;
}

machine::Traffic trafficOf(const CollectiveCall &call, int members) {
  if (call.kind == abi::BLOCK_EXCHANGE)
    return trafficOfBoxes(call);
  double bytes =
      call.kind == abi::BARRIER ? 0 : double(call.count()) * double(abi::elementBytes(call.type));
  return {.kind = call.kind, .bytes = call.kind == abi::ALL_GATHER ? members * bytes : bytes};
}

/// Returns whether every member of a permutation or exchange keeps its data.
bool movesNothing(const CollectiveCall &call) {
  bool hasBoxes = call.kind == abi::COLLECTIVE_PERMUTE || call.kind == abi::BLOCK_EXCHANGE;
  return hasBoxes &&
         std::ranges::all_of(call.boxes, [](const Box &box) { return box.source == box.target; });
}

} // namespace

double EmulatedLink::seconds(std::span<const CollectiveCall> calls, int members) {
  if (members == 1)
    return 0;
  double seconds = 0;
  for (size_t first = 0, end = 0; first < calls.size(); first = end) {
    machine::Traffic message = trafficOf(calls[first], members);
    for (end = first + 1; end < calls.size() && calls[end].fused; ++end)
      message.bytes += trafficOf(calls[end], members).bytes;
    if (!movesNothing(calls[first]))
      seconds += cost(message, members);
  }
  return seconds;
}

double EmulatedLink::cost(const machine::Traffic &message, int members) {
  std::lock_guard lock(mutex);
  auto [known, isNew] =
      costs.try_emplace({members, message.kind, message.bytes, message.messages}, 0);
  if (isNew)
    known->second = machine::estimateLinkCost(link, members, message);
  return known->second;
}

TransferInterval EmulatedLink::carry(std::span<const int> ranks, double seconds, int64_t now) {
  if (seconds == 0)
    return {now, now};
  std::lock_guard lock(mutex);
  int64_t begin = now;
  for (int rank : ranks)
    begin = std::max({begin, channels[rank].out, channels[rank].in});
  int64_t end = begin + nanoseconds(seconds);
  for (int rank : ranks)
    channels[rank] = {end, end};
  return {begin, end};
}

TransferInterval EmulatedLink::carryMessage(int sender, int receiver, int64_t bytes, int64_t now) {
  if (sender == receiver)
    return {now, now};
  std::lock_guard lock(mutex);
  int64_t begin = std::max({now, channels[sender].out, channels[receiver].in});
  int64_t end = begin + nanoseconds(double(bytes) / link.bytesPerSecond);
  channels[sender].out = channels[receiver].in = end;
  return {begin, end + nanoseconds(link.latencySeconds)};
}

} // namespace pcc::runtime::local
