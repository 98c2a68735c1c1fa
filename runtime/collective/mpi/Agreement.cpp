// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes each batch as 64-bit numbers and hashes the result with FNV-1a. The processes gather
// the hashes, the lengths, and whether own members differ. If hashes or members of one process
// differ, all processes gather the serialized batches and report the first difference by position.

#include "runtime/collective/mpi/MpiGroup.h"

#include "runtime/collective/SameCalls.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::mpi {
namespace {

void put(std::string &text, int64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  text.append(bytes, sizeof number);
}

/// Describes what all members' batches must have in common, preceded by the number of calls.
std::string describe(std::span<const CollectiveCall> calls) {
  std::string text;
  put(text, int64_t(calls.size()));
  for (const CollectiveCall &call : calls) {
    put(text, call.kind);
    if (call.kind == abi::BARRIER)
      continue;
    for (int64_t number : {int64_t(call.reduction), int64_t(call.type), int64_t(call.axis),
                           int64_t(call.concatAxis), int64_t(call.root), int64_t(call.boxes.size()),
                           int64_t(call.fused), int64_t(call.shape.size())})
      put(text, number);
    for (int64_t extent : call.shape)
      put(text, extent);
  }
  return text;
}

/// Reads what describe() wrote.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  bool isAtEnd() const { return place >= text.size(); }

  std::vector<CollectiveCall> batch() {
    std::vector<CollectiveCall> calls(static_cast<size_t>(next()));
    for (CollectiveCall &call : calls)
      readCall(call);
    return calls;
  }

private:
  int64_t next() {
    int64_t number = 0;
    std::memcpy(&number, text.data() + place, sizeof number);
    place += sizeof number;
    return number;
  }

  void readCall(CollectiveCall &call) {
    call.kind = abi::CollectiveKind(next());
    if (call.kind == abi::BARRIER)
      return;
    call.reduction = abi::ReduceOp(next());
    call.type = abi::ElementType(next());
    call.axis = uint32_t(next());
    call.concatAxis = uint32_t(next());
    call.root = int32_t(next());
    call.boxes.resize(size_t(next()));
    call.fused = next() != 0;
    call.shape.resize(size_t(next()));
    for (int64_t &extent : call.shape)
      extent = next();
  }

  std::string_view text;
  size_t place = 0;
};

uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

using Batch = std::vector<CollectiveCall>;

/// Returns the first difference between batches, by position.
Status compare(const std::vector<Batch> &batches, std::span<const int> ranks) {
  std::vector<std::span<const CollectiveCall>> counted(batches.begin(), batches.end());
  if (Status status = checkCounts(counted, ranks); !status.ok())
    return status;
  for (size_t c = 0; c < batches[0].size(); ++c) {
    std::vector<const CollectiveCall *> calls;
    for (const Batch &batch : batches)
      calls.push_back(&batch[c]);
    if (Status status = checkSame(calls, ranks); !status.ok())
      return status;
  }
  return {};
}

} // namespace

Agreement::Agreement(const Members &members, Channel channel,
                     std::span<const std::span<const CollectiveCall>> calls)
    : members(members), channel(channel) {
  std::vector<std::string> texts;
  for (std::span<const CollectiveCall> batch : calls)
    texts.push_back(describe(batch));
  bool isOne = std::all_of(texts.begin(), texts.end(),
                           [&](const std::string &text) { return text == texts[0]; });
  for (size_t i = 0; i < (isOne ? 1 : texts.size()); ++i)
    own += texts[i];
  heads.resize(size_t(members.processCount()));
  ownHash = hashOf(own);
  heads[size_t(members.own)] = {ownHash, own.size(), isOne ? 0u : 1u};
}

void Agreement::begin() {
  constexpr int32_t numbers = sizeof(Head) / sizeof(uint64_t);
  for (int p = 0; p < members.processCount(); ++p) {
    counts.push_back(numbers);
    offsets.push_back(numbers * p);
  }
  code = channel.mpi.all_gather(nullptr, 0, heads.data(), counts.data(), offsets.data(),
                                sizeof(uint64_t), channel.group, &request);
}

std::optional<Status> Agreement::poll() {
  int32_t done = 0;
  int64_t bytes = 0;
  if (code == 0)
    code = channel.mpi.test(&request, &done, &bytes);
  if (code != 0)
    return statusOf(channel.mpi, code);
  if (!done)
    return std::nullopt;
  if (isWhole)
    return judge();
  if (std::all_of(heads.begin(), heads.end(), [&](const Head &head) {
        return head.hash == heads[0].hash && head.membersDiffer == 0;
      }))
    return Status();
  compareWhole();
  return std::nullopt;
}

void Agreement::compareWhole() {
  int32_t offset = 0;
  for (size_t p = 0; p < counts.size(); ++p) {
    counts[p] = int32_t(heads[p].bytes);
    offsets[p] = offset;
    offset += counts[p];
  }
  all.resize(size_t(offset));
  isWhole = true;
  code = channel.mpi.all_gather(own.data(), counts[members.own], all.data(), counts.data(),
                                offsets.data(), 1, channel.group, &request);
}

Status Agreement::judge() const {
  std::vector<Batch> batches(members.size());
  for (int p = 0; p < members.processCount(); ++p) {
    Reader reader(std::string_view(all).substr(size_t(offsets[p]), size_t(counts[p])));
    Batch batch;
    for (int position : members.positionsOf[p]) {
      if (!reader.isAtEnd()) // otherwise the last batch counts for all that follow
        batch = reader.batch();
      batches[position] = batch;
    }
  }
  return compare(batches, members.ranks);
}

} // namespace pcc::runtime::mpi
