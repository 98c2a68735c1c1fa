// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An NCCL without GPUs: libnccl.so.2 for tests, on the streams of the emulated driver. It is as
// strict as the real one is where a mistake hangs or destroys something:
//
//   * communicators are non-blocking: a call that makes one, or a group, goes on until somebody has
//     asked for its state twice; what a group does comes to streams then, or, as by a thread of the
//     library's, when a GPU can do nothing else; who calls before is refused
//   * a communicator is there when all have come, each with another GPU
//   * all ranks call the same collectives in the same order, and messages match in their order
//   * one that is split puts the new one down when all have split it, if that takes its time
//   * one that was aborted or destroyed is not used again; what an aborted one has on streams ends
//   * who aborts aborts in one group all that have work on a GPU: else the first would wait for the
//     work of the next, and is refused

#include "test/emulator/NcclLibrary.h"

#include "test/emulator/GpuWork.h"
#include "test/emulator/NcclClique.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <mutex>

using namespace pcc::runtime::nccl;
using namespace pcc::test;
using Kind = NcclCall::Kind;
using pcc::runtime::cuda::Result;

namespace pcc::runtime::nccl {

/// A rank's side of a communicator. None is freed, so that later use is seen.
struct CommObject {
  int rank = 0;
  int gpu = 0;
  std::shared_ptr<NcclClique> clique = {};
  bool isGone = false;
  Code error = Code::Success;
  /// How often it says yet that something goes on, and what comes to streams then.
  int polls = 0;
  std::vector<std::function<Result()>> toEnqueue = {};
  /// What was called and is not done.
  int underWay = 0;
  size_t splits = 0;
  /// What comes of a split that goes on.
  CommObject *part = nullptr;
};

} // namespace pcc::runtime::nccl

namespace {

using Lock = std::lock_guard<std::mutex>;

/// Under `mutex`, which is taken with the driver's lock held, never the other way round.
struct Library {
  std::mutex mutex;
  std::string lastError;
  uint64_t ids = 0;
  std::vector<std::unique_ptr<CommObject>> comms;
  /// By id: who has come, by rank.
  std::map<uint64_t, std::vector<CommObject *>> joining;
  struct Choice {
    int color, key;
    CommObject *comm;
    CommHandle *slot;
  };
  /// By clique and number of the split, then by rank.
  std::map<std::pair<NcclClique *, size_t>, std::map<int, Choice>> splits;
} library;

/// Taken before all other locks by who puts on streams what groups do, so that it comes there in
/// its order.
std::mutex enqueueing;

/// Takes what is to be enqueued of a communicator. Under the lock.
void take(CommObject *comm, std::vector<std::function<Result()>> &works) {
  std::ranges::move(comm->toEnqueue, std::back_inserter(works));
  comm->toEnqueue.clear();
}

bool enqueueAll(const std::vector<std::function<Result()>> &works) {
  return std::ranges::all_of(works, [](const auto &work) { return work() == Result::Success; });
}

/// As by a thread of the library's own.
void workInBackground() {
  Lock order(enqueueing);
  std::vector<std::function<Result()>> works;
  {
    Lock lock(library.mutex);
    for (const std::unique_ptr<CommObject> &comm : library.comms)
      take(comm.get(), works);
  }
  (void)enqueueAll(works); // an error of a stream shows at its next call
}

[[maybe_unused]] const bool hasBackground = (setBackground(workInBackground), true);

thread_local int groupDepth = 0;
struct Called {
  NcclCall call;
  CommObject *comm;
  StreamHandle stream;
};
thread_local std::vector<Called> group;
thread_local std::vector<CommObject *> aborting;

Code fail(Code code, const std::string &why) {
  library.lastError = why;
  std::fprintf(stderr, "emulated nccl: %s\n", why.c_str());
  return code;
}

/// Whether a call may use the communicator. Under the lock.
Code checkUse(CommObject *comm) {
  if (!comm)
    return fail(Code::InvalidArgument, "no communicator");
  if (comm->isGone)
    return fail(Code::InvalidUsage, "a communicator is used that was aborted or destroyed");
  if (comm->error != Code::Success)
    return comm->error;
  if (!comm->clique || comm->polls > 0 || !comm->toEnqueue.empty())
    return fail(Code::InvalidArgument, "a communicator is used before the call before was through");
  return Code::Success;
}

CommObject *makeComm(int rank) {
  library.comms.push_back(std::make_unique<CommObject>());
  CommObject *comm = library.comms.back().get();
  comm->rank = rank;
  comm->gpu = currentGpu();
  comm->polls = 1;
  return comm;
}

/// All have come.
void connect(const std::vector<CommObject *> &members) {
  auto clique = std::make_shared<NcclClique>(int(members.size()));
  Code outcome = Code::Success;
  for (size_t a = 0; a < members.size(); ++a) {
    members[a]->clique = clique;
    members[a]->rank = int(a);
    for (size_t b = 0; b < a; ++b)
      if (members[a]->gpu == members[b]->gpu)
        outcome = fail(Code::InvalidUsage, fmt::format("ranks {} and {} have the same GPU", b, a));
  }
  for (CommObject *member : members)
    member->error = outcome;
}

void connectSplit(const std::map<int, Library::Choice> &choices) {
  std::map<int, std::vector<std::pair<int, CommObject *>>> parts;
  for (const auto &[rank, choice] : choices) {
    CommObject *part = std::exchange(choice.comm->part, nullptr);
    if (!part)
      continue;
    parts[choice.color].push_back({choice.key, part});
    if (!choice.comm->isGone) // an abort has waited for this
      *choice.slot = part;
  }
  for (auto &[color, members] : parts) {
    std::ranges::stable_sort(members, {}, [](const auto &member) { return member.first; });
    std::vector<CommObject *> list;
    for (const auto &[key, part] : members)
      list.push_back(part);
    connect(list);
  }
}

/// What an operation says on its stream; an aborted communicator's say nothing.
template <typename Body> std::function<Result()> onStream(CommObject *comm, Body body) {
  ++comm->underWay;
  return [=]() mutable {
    Lock lock(library.mutex);
    Result result = comm->isGone ? Result::Success : body();
    if (result != Result::NotReady)
      --comm->underWay;
    return result;
  };
}

/// A collective in the order of the communicator.
Code addCollective(const Called &own) {
  std::string why;
  CommObject *comm = own.comm;
  int64_t number = comm->clique->note(comm->rank, own.call, why);
  if (number < 0)
    return comm->error = fail(Code::InvalidUsage, why);
  auto work = onStream(comm, [comm, number] {
    return comm->clique->arrive(comm->rank, number) ? Result::Success : Result::NotReady;
  });
  comm->toEnqueue.push_back(
      [stream = own.stream, work] { return enqueueMeeting(stream, {}, work); });
  return Code::Success;
}

/// All messages of a group on one communicator and stream wait together.
void addMessages(CommObject *comm, StreamHandle stream, std::vector<NcclCall> calls) {
  auto posts = std::make_shared<std::vector<std::shared_ptr<NcclPost>>>();
  auto work = onStream(comm, [comm, calls, posts] {
    std::string why;
    for (; posts->size() < calls.size();)
      posts->push_back(comm->clique->post(comm->rank, calls[posts->size()], why));
    if (!why.empty()) {
      comm->error = fail(Code::InvalidUsage, why);
      return Result::IllegalAddress;
    }
    bool isDone = std::ranges::all_of(*posts, [](const auto &post) { return post->isDone; });
    return isDone ? Result::Success : Result::NotReady;
  });
  comm->toEnqueue.push_back([stream, work] { return enqueueMeeting(stream, {}, work); });
}

/// Everything of a group, in its order. Under the lock.
Code launch(const std::vector<Called> &calls) {
  std::vector<std::pair<CommObject *, StreamHandle>> lanes;
  for (const Called &own : calls) {
    if (Code code = checkUse(own.comm); code != Code::Success)
      return code;
    if (std::ranges::find(lanes, std::pair(own.comm, own.stream)) == lanes.end())
      lanes.emplace_back(own.comm, own.stream);
  }
  for (auto [comm, stream] : lanes) {
    std::vector<NcclCall> messages;
    for (const Called &own : calls) {
      if (own.comm != comm || own.stream != stream)
        continue;
      if (own.call.kind == Kind::Send || own.call.kind == Kind::Receive)
        messages.push_back(own.call);
      else if (Code code = addCollective(own); code != Code::Success)
        return code;
    }
    if (!messages.empty())
      addMessages(comm, stream, std::move(messages));
    comm->polls = 1;
  }
  return lanes.empty() ? Code::Success : Code::InProgress;
}

/// Under the lock.
Code abortTogether(const std::vector<CommObject *> &comms) {
  for (CommObject *comm : comms)
    if (comm->isGone)
      return fail(Code::InvalidUsage, "a communicator is aborted that was aborted or destroyed");
  for (const std::unique_ptr<CommObject> &other : library.comms)
    for (CommObject *comm : comms)
      if (other->gpu == comm->gpu && !other->isGone && other->underWay > 0 &&
          std::ranges::find(comms, other.get()) == comms.end())
        return fail(Code::InvalidUsage, "a communicator is aborted alone, and would wait for what "
                                        "another one has on its GPU");
  for (CommObject *comm : comms) {
    comm->isGone = true;
    comm->toEnqueue.clear();
    if (comm->part)
      comm->part->isGone = true;
  }
  return Code::Success;
}

Code call(const NcclCall &own, CommObject *comm, StreamHandle stream) {
  if (groupDepth > 0) {
    group.push_back({own, comm, stream});
    return Code::Success;
  }
  Lock lock(library.mutex);
  return launch({{own, comm, stream}});
}

/// What the thread has aborted so far.
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
    if (comm->clique && comm->clique->ranks == ranks && comm->rank == rank)
      for (const NcclCall &own : comm->clique->calls(rank))
        list.push_back(describe(own));
  return list;
}

int pcc::test::openCommunicators() {
  Lock lock(library.mutex);
  return int(std::ranges::count(library.comms, false, &CommObject::isGone));
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
  Lock lock(library.mutex);
  if (config->blocking != 0)
    return fail(Code::InvalidArgument, "the emulator has no blocking communicators");
  uint64_t number = 0;
  std::memcpy(&number, id.internal, sizeof number);
  std::vector<CommObject *> &members = library.joining[number];
  members.resize(size_t(ranks));
  if (rank < 0 || rank >= ranks || members[size_t(rank)])
    return fail(Code::InvalidArgument, fmt::format("rank {} of {} comes twice", rank, ranks));
  *comm = members[size_t(rank)] = makeComm(rank);
  if (std::ranges::find(members, nullptr) == members.end())
    connect(members);
  return Code::InProgress;
}

Code ncclCommSplit(CommHandle comm, int color, int key, CommHandle *part, Config *) {
  Lock lock(library.mutex);
  if (Code code = checkUse(comm); code != Code::Success)
    return code;
  *part = nullptr;
  comm->part = color >= 0 ? makeComm(0) : nullptr;
  auto &choices = library.splits[{comm->clique.get(), comm->splits++}];
  choices[comm->rank] = {color, key, comm, part};
  if (int(choices.size()) == comm->clique->ranks)
    connectSplit(choices);
  comm->polls = 1;
  return Code::InProgress;
}

Code ncclCommGetAsyncError(CommHandle comm, Code *code) {
  Lock order(enqueueing);
  std::vector<std::function<Result()>> works;
  {
    Lock lock(library.mutex);
    if (comm->isGone)
      return fail(Code::InvalidUsage, "a communicator is asked that was aborted or destroyed");
    *code = comm->error;
    auto last = library.splits.find({comm->clique.get(), comm->splits - 1});
    bool isSplitting = comm->clique && last != library.splits.end() &&
                       int(last->second.size()) < comm->clique->ranks;
    if (*code == Code::Success && (!comm->clique || isSplitting || comm->polls-- > 0))
      *code = Code::InProgress;
    comm->polls = std::max(comm->polls, 0);
    if (*code == Code::Success)
      take(comm, works);
  }
  if (!enqueueAll(works))
    *code = Code::UnhandledCudaError;
  return Code::Success;
}

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
      return fail(Code::InvalidUsage, "a group ends that did not begin");
    if (--groupDepth > 0)
      return Code::Success;
    if (aborting.empty())
      return launch(std::exchange(group, {}));
  }
  return endAborts();
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

/// Refuses to compile where a function differs from what the runtime takes it for.
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
