// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An NCCL without GPUs: libnccl.so.2 for tests, on the streams of the emulated driver. It is as
// strict as the real library where a mistake causes a hang or corruption:
//
//   * Communicators are non-blocking: the creation of one, or a group, is in progress until its
//     state has been queried twice. Then the work of the group is enqueued on streams. It is also
//     enqueued, as by a thread of the library, if a GPU has nothing else to do. Earlier calls are
//     refused.
//   * A communicator is ready when all ranks have arrived, each with a different GPU.
//   * All ranks call the same collectives in the same order, and messages match in order.
//   * If a split takes time, its result is stored when all ranks have called the split.
//   * An aborted or destroyed communicator is not used again; work of an aborted one ends.
//   * A thread aborts all communicators with work on a GPU in one group. Otherwise the first abort
//     would wait for the work of the next, and is refused.

#include "test/emulator/NcclLibrary.h"

#include "test/emulator/NcclComms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace pcc::runtime::nccl;
using namespace pcc::test;
using Kind = NcclCall::Kind;

namespace {

thread_local int groupDepth = 0;
thread_local std::vector<NcclCalled> group;
thread_local std::vector<CommObject *> aborting;

Code call(const NcclCall &own, CommObject *comm, StreamHandle stream) {
  if (groupDepth > 0) {
    group.push_back({own, comm, stream});
    return Code::Success;
  }
  Lock lock(library.mutex);
  return launch({{own, comm, stream}});
}

/// Aborts together all communicators that the thread has collected.
Code endAborts() {
  Code code;
  {
    Lock lock(library.mutex);
    code = abortTogether(std::exchange(aborting, {}));
  }
  retryWork();
  return code;
}

const std::byte *bytes(const void *address) { return static_cast<const std::byte *>(address); }
std::byte *bytes(void *address) { return static_cast<std::byte *>(address); }

} // namespace

std::vector<std::string> pcc::test::recordedCalls(int ranks, int rank) {
  Lock lock(library.mutex);
  std::vector<std::string> list;
  for (const std::unique_ptr<CommObject> &comm : library.comms)
    if (!comm->isGone && comm->clique && comm->clique->ranks == ranks && comm->rank == rank)
      for (const NcclCall &own : comm->clique->calls(rank))
        list.push_back(describe(own));
  return list;
}

void pcc::test::loseNetwork() {
  Lock lock(library.mutex);
  library.lastError = "the network is down";
  for (const std::unique_ptr<CommObject> &comm : library.comms)
    comm->error = Code::RemoteError;
}

int pcc::test::openCommunicators() {
  Lock lock(library.mutex);
  return int(std::ranges::count(library.comms, false, &CommObject::isGone));
}

int pcc::test::openCommunicatorsOf(int maxBlocks) {
  Lock lock(library.mutex);
  return int(std::ranges::count_if(library.comms, [&](const auto &comm) {
    return !comm->isGone && comm->maxBlocks == maxBlocks;
  }));
}

extern "C" {

Code ncclGetVersion(int *version) {
  *version = 22809;
  return Code::Success;
}

const char *ncclGetErrorString(Code code) {
  switch (code) {
  case Code::Success:
    return "no error";
  case Code::InvalidArgument:
    return "invalid argument";
  case Code::InvalidUsage:
    return "invalid usage";
  case Code::RemoteError:
    return "remote process exited or there was a network error";
  case Code::InProgress:
    return "operation in progress";
  default:
    return "error";
  }
}

const char *ncclGetLastError(CommHandle) {
  static thread_local std::string text;
  Lock lock(library.mutex);
  text = library.lastError;
  return text.c_str();
}

Code ncclGetUniqueId(UniqueId *id) {
  Lock lock(library.mutex);
  uint64_t number = ++library.ids;
  *id = {};
  std::memcpy(id->internal, &number, sizeof number);
  return Code::Success;
}

Code ncclCommInitRankConfig(CommHandle *comm, int ranks, UniqueId id, int rank, Config *config) {
  std::unique_lock lock(library.mutex);
  if (config->blocking != 0 && config->blocking != 1)
    return failNccl(Code::InvalidArgument, "a communicator that may block or not");
  uint64_t number = 0;
  std::memcpy(&number, id.internal, sizeof number);
  std::vector<CommObject *> &members = library.joining[number];
  members.resize(size_t(ranks));
  if (rank < 0 || rank >= ranks || members[size_t(rank)])
    return failNccl(Code::InvalidArgument, fmt::format("rank {} of {} comes twice", rank, ranks));
  *comm = members[size_t(rank)] = makeComm(rank, config);
  if (std::ranges::find(members, nullptr) == members.end())
    connect(members);
  return config->blocking ? waitUntilJoined(lock, *comm) : Code::InProgress;
}

Code ncclCommSplit(CommHandle comm, int color, int key, CommHandle *part, Config *config) {
  Lock lock(library.mutex);
  if (Code code = checkUse(comm); code != Code::Success)
    return code;
  *part = nullptr;
  comm->part = color >= 0 ? makeComm(0, config) : nullptr;
  auto &choices = library.splits[{comm->clique.get(), comm->splits++}];
  choices[comm->rank] = {color, key, comm, part};
  if (int(choices.size()) == comm->clique->ranks)
    connectSplit(choices);
  comm->polls = 1;
  return Code::InProgress;
}

Code ncclCommGetAsyncError(CommHandle comm, Code *code) { return askState(comm, *code); }

Code ncclCommFinalize(CommHandle comm) {
  Lock lock(library.mutex);
  Code code = checkUse(comm);
  if (code != Code::Success)
    return code;
  comm->polls = 1;
  return Code::InProgress;
}

Code ncclCommDestroy(CommHandle comm) {
  Lock lock(library.mutex);
  if (Code code = checkUse(comm); code != Code::Success)
    return code;
  comm->isGone = true;
  return Code::Success;
}

Code ncclCommAbort(CommHandle comm) {
  aborting.push_back(comm);
  return groupDepth > 0 ? Code::Success : endAborts();
}

Code ncclGroupStart() {
  ++groupDepth;
  return Code::Success;
}

Code ncclGroupEnd() {
  {
    Lock lock(library.mutex);
    if (groupDepth == 0)
      return failNccl(Code::InvalidUsage, "a group ends that did not begin");
    if (--groupDepth > 0)
      return Code::Success;
    if (aborting.empty())
      return launch(std::exchange(group, {}));
  }
  return endAborts();
}

Code ncclGroupSimulateEnd(SimulationInfo *info) {
  Lock lock(library.mutex);
  if (groupDepth != 1)
    return failNccl(Code::InvalidUsage,
                    "the end of a group is simulated that is not the outermost");
  groupDepth = 0;
  return simulate(std::exchange(group, {}), *info);
}

Code ncclAllReduce(const void *source, void *target, size_t count, Type type, Operator reduction,
                   CommHandle comm, StreamHandle stream) {
  return call({Kind::AllReduce, bytes(source), bytes(target), int64_t(count), type, reduction},
              comm, stream);
}

Code ncclAllGather(const void *source, void *target, size_t count, Type type, CommHandle comm,
                   StreamHandle stream) {
  return call({Kind::AllGather, bytes(source), bytes(target), int64_t(count), type}, comm, stream);
}

Code ncclReduceScatter(const void *source, void *target, size_t count, Type type,
                       Operator reduction, CommHandle comm, StreamHandle stream) {
  return call({Kind::ReduceScatter, bytes(source), bytes(target), int64_t(count), type, reduction},
              comm, stream);
}

Code ncclBroadcast(const void *source, void *target, size_t count, Type type, int root,
                   CommHandle comm, StreamHandle stream) {
  return call({.kind = NcclCall::Kind::Broadcast,
               .source = bytes(source),
               .target = bytes(target),
               .count = int64_t(count),
               .type = type,
               .peer = root},
              comm, stream);
}

Code ncclReduce(const void *source, void *target, size_t count, Type type, Operator reduction,
                int root, CommHandle comm, StreamHandle stream) {
  return call({Kind::Reduce, bytes(source), bytes(target), int64_t(count), type, reduction, root},
              comm, stream);
}

Code ncclSend(const void *source, size_t count, Type type, int peer, CommHandle comm,
              StreamHandle stream) {
  return call({Kind::Send, bytes(source), nullptr, int64_t(count), type, Operator::Sum, peer}, comm,
              stream);
}

Code ncclRecv(void *target, size_t count, Type type, int peer, CommHandle comm,
              StreamHandle stream) {
  return call({Kind::Receive, nullptr, bytes(target), int64_t(count), type, Operator::Sum, peer},
              comm, stream);
}

} // extern "C"

/// Fails to compile if a function's type differs from the one that the runtime declares.
[[maybe_unused]] static const Nccl own = {.getVersion = ncclGetVersion,
                                          .getErrorString = ncclGetErrorString,
                                          .getLastError = ncclGetLastError,
                                          .getUniqueId = ncclGetUniqueId,
                                          .commInitRankConfig = ncclCommInitRankConfig,
                                          .commSplit = ncclCommSplit,
                                          .commGetAsyncError = ncclCommGetAsyncError,
                                          .commFinalize = ncclCommFinalize,
                                          .commDestroy = ncclCommDestroy,
                                          .commAbort = ncclCommAbort,
                                          .groupStart = ncclGroupStart,
                                          .groupEnd = ncclGroupEnd,
                                          .allReduce = ncclAllReduce,
                                          .allGather = ncclAllGather,
                                          .reduceScatter = ncclReduceScatter,
                                          .broadcast = ncclBroadcast,
                                          .reduce = ncclReduce,
                                          .send = ncclSend,
                                          .receive = ncclRecv};
[[maybe_unused]] static const Simulator ownSimulator = {.groupSimulateEnd = ncclGroupSimulateEnd};
