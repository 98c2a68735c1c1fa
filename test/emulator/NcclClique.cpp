// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/NcclClique.h"

#include "test/emulator/NcclReduction.h"

#include <fmt/format.h>

#include <cstring>

namespace pcc::test {

using namespace runtime;
using nccl::Operator;
using nccl::Type;
using Kind = NcclCall::Kind;

namespace {

abi::ElementType elementOf(Type type) {
  switch (type) {
  case Type::Int32:
    return abi::I32;
  case Type::Int64:
    return abi::I64;
  case Type::Float16:
    return abi::F16;
  case Type::BFloat16:
    return abi::BF16;
  case Type::Float32:
    return abi::F32;
  case Type::Float64:
    return abi::F64;
  case Type::Uint32:
    return abi::U32;
  case Type::Uint64:
    return abi::U64;
  case Type::Uint8:
    return abi::U8; // booleans are reduced only by max and min
  default:
    return abi::I8;
  }
}

/// Returns the size in bytes and the name of a type's elements.
std::pair<int64_t, const char *> factsOf(Type type) {
  switch (elementOf(type)) {
  case abi::I32:
    return {4, "i32"};
  case abi::I64:
    return {8, "i64"};
  case abi::F16:
    return {2, "f16"};
  case abi::BF16:
    return {2, "bf16"};
  case abi::F32:
    return {4, "f32"};
  case abi::F64:
    return {8, "f64"};
  case abi::U32:
    return {4, "u32"};
  case abi::U64:
    return {8, "u64"};
  case abi::U8:
    return {1, "u8"};
  default:
    return {1, "i8"};
  }
}

} // namespace

int64_t bytesOf(const NcclCall &call) { return call.count * factsOf(call.type).first; }

namespace {

bool reduces(Kind kind) {
  return kind == Kind::AllReduce || kind == Kind::ReduceScatter || kind == Kind::Reduce;
}
bool hasRoot(Kind kind) { return kind == Kind::Broadcast || kind == Kind::Reduce; }

bool isSame(const NcclCall &a, const NcclCall &b) {
  return a.kind == b.kind && a.count == b.count && a.type == b.type &&
         (!reduces(a.kind) || a.reduction == b.reduction) && (!hasRoot(a.kind) || a.peer == b.peer);
}

/// Returns one rank's part of a reduction of all sources, from `offset` on.
std::vector<std::byte> reduced(const std::vector<NcclCall> &calls, int64_t offset) {
  std::vector<const std::byte *> sources;
  for (const NcclCall &call : calls)
    sources.push_back(call.source + offset);
  return reduceAsNccl(calls[0].reduction, calls[0].type, sources, calls[0].count);
}

/// Returns the new contents of each rank's target; empty for a rank without a target.
std::vector<std::vector<std::byte>> resultsOf(const std::vector<NcclCall> &calls) {
  int64_t bytes = bytesOf(calls[0]);
  std::vector<std::vector<std::byte>> results(calls.size());
  std::vector<std::byte> gathered;
  for (const NcclCall &call : calls)
    if (call.kind == Kind::AllGather)
      gathered.insert(gathered.end(), call.source, call.source + bytes);
  for (size_t rank = 0; rank < calls.size(); ++rank)
    switch (calls[0].kind) {
    case Kind::AllReduce:
      results[rank] = rank == 0 ? reduced(calls, 0) : results[0];
      break;
    case Kind::ReduceScatter:
      results[rank] = reduced(calls, int64_t(rank) * bytes);
      break;
    case Kind::Reduce:
      if (int(rank) == calls[0].peer)
        results[rank] = reduced(calls, 0);
      break;
    case Kind::AllGather:
      results[rank] = gathered;
      break;
    default: {
      const std::byte *source = calls[size_t(calls[0].peer)].source;
      results[rank].assign(source, source + bytes);
    }
    }
  return results;
}

} // namespace

std::string describe(const NcclCall &call) {
  static constexpr const char *kinds[] = {"AllReduce", "AllGather", "ReduceScatter", "Broadcast",
                                          "Reduce",    "Send",      "Receive"};
  std::string text =
      fmt::format("{} of {} {}", kinds[int(call.kind)], call.count, factsOf(call.type).second);
  static constexpr const char *reductions[] = {"sum", "prod", "max", "min"};
  if (reduces(call.kind))
    text += fmt::format(", {}", reductions[int(call.reduction)]);
  if (hasRoot(call.kind))
    text += fmt::format(", root {}", call.peer);
  return text;
}

int64_t NcclClique::note(int rank, const NcclCall &call, std::string &why) {
  std::vector<NcclCall> &own = called[size_t(rank)];
  size_t number = own.size();
  own.push_back(call);
  for (int other = 0; other < ranks; ++other) {
    const std::vector<NcclCall> &theirs = called[size_t(other)];
    if (theirs.size() <= number || isSame(theirs[number], call))
      continue;
    why = fmt::format("collective {} of a communicator: rank {} called {}, but rank {} {}", number,
                      other, describe(theirs[number]), rank, describe(call));
    return -1;
  }
  return int64_t(number);
}

bool NcclClique::arrive(int rank, int64_t number) {
  Meeting &meeting = meetings[number];
  meeting.arrived.resize(size_t(ranks));
  if (!meeting.arrived[size_t(rank)]) {
    meeting.arrived[size_t(rank)] = true;
    ++meeting.count;
  }
  if (meeting.count == ranks && !meeting.isDone) {
    perform(number);
    meeting.isDone = true;
  }
  return meeting.isDone;
}

/// Does the collective in the memory of all ranks. A target may be a source, so all results are
/// computed before any is written.
void NcclClique::perform(int64_t number) {
  std::vector<NcclCall> calls;
  for (const std::vector<NcclCall> &own : called)
    calls.push_back(own[size_t(number)]);
  std::vector<std::vector<std::byte>> results = resultsOf(calls);
  for (size_t rank = 0; rank < calls.size(); ++rank)
    if (!results[rank].empty())
      std::memcpy(calls[rank].target, results[rank].data(), results[rank].size());
}

std::shared_ptr<NcclPost> NcclClique::post(int rank, const NcclCall &call, std::string &why) {
  bool sends = call.kind == Kind::Send;
  auto mine = std::make_shared<NcclPost>(NcclPost{call});
  Queues &own = queues[sends ? std::pair(rank, call.peer) : std::pair(call.peer, rank)];
  (sends ? own.sends : own.receives).push_back(mine);
  while (!own.sends.empty() && !own.receives.empty()) {
    NcclPost &send = *own.sends.front(), &receive = *own.receives.front();
    if (bytesOf(send.call) != bytesOf(receive.call) || send.call.type != receive.call.type)
      why = fmt::format("a message between ranks {} and {}: {}, but {}", rank, call.peer,
                        describe(send.call), describe(receive.call));
    else
      std::memcpy(receive.call.target, send.call.source, size_t(bytesOf(send.call)));
    send.isDone = receive.isDone = true;
    own.sends.pop_front();
    own.receives.pop_front();
  }
  return mine;
}

} // namespace pcc::test
