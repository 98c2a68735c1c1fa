// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/NcclComms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace pcc::test {

using Kind = NcclCall::Kind;
using runtime::cuda::Result;
using runtime::nccl::Config;

// Never destroyed: threads of ranks that a test gave up may use it when the program ends.
NcclState &library = *new NcclState;

namespace {

/// Taken before all other locks by threads that enqueue the work of groups, so that the work keeps
/// its order.
std::mutex enqueueing;

/// Moves the pending work of a communicator to `works`.
void take(CommObject *comm, std::vector<EnqueueWork> &works) {
  std::ranges::move(comm->toEnqueue, std::back_inserter(works));
  comm->toEnqueue.clear();
}

/// Enqueues the works, on any thread. Must be called without the lock.
bool enqueueAll(const std::vector<EnqueueWork> &works) {
  OnGpu anyContext(0);
  return std::ranges::all_of(works, [](const auto &work) { return work() == Result::Success; });
}

/// Does the work of the library's own thread. Must be called without the lock.
void workInBackground() {
  Lock order(enqueueing);
  std::vector<EnqueueWork> works;
  {
    Lock lock(library.mutex);
    for (const std::unique_ptr<CommObject> &comm : library.comms)
      take(comm.get(), works);
  }
  (void)enqueueAll(works); // a stream's error shows at its next call
}

[[maybe_unused]] const bool hasBackground = (setBackground(workInBackground), true);

} // namespace

Code failNccl(Code code, const std::string &why) {
  library.lastError = why;
  std::fprintf(stderr, "emulated nccl: %s\n", why.c_str());
  return code;
}

Code checkUse(CommObject *comm) {
  if (!comm)
    return failNccl(Code::InvalidArgument, "no communicator");
  if (comm->isGone)
    return failNccl(Code::InvalidUsage, "a communicator is used that was aborted or destroyed");
  if (comm->error != Code::Success)
    return comm->error;
  if (!comm->clique || comm->polls > 0 || !comm->toEnqueue.empty())
    return failNccl(Code::InvalidArgument,
                    "a communicator is used before the call before was through");
  return Code::Success;
}

CommObject *makeComm(int rank, const Config *config) {
  library.comms.push_back(std::make_unique<CommObject>());
  CommObject *comm = library.comms.back().get();
  comm->rank = rank;
  comm->gpu = currentGpu();
  comm->polls = 1;
  comm->maxBlocks = config->maxCTAs;
  return comm;
}

void connect(const std::vector<CommObject *> &members) {
  auto clique = std::make_shared<NcclClique>(int(members.size()));
  Code outcome = Code::Success;
  for (size_t a = 0; a < members.size(); ++a) {
    members[a]->clique = clique;
    members[a]->rank = int(a);
    for (size_t b = 0; b < a; ++b)
      if (members[a]->gpu == members[b]->gpu)
        outcome =
            failNccl(Code::InvalidUsage, fmt::format("ranks {} and {} have the same GPU", b, a));
  }
  for (CommObject *member : members)
    member->error = outcome;
}

void connectSplit(const std::map<int, NcclState::Choice> &choices) {
  std::map<int, std::vector<std::pair<int, CommObject *>>> parts;
  for (const auto &[rank, choice] : choices) {
    CommObject *part = std::exchange(choice.comm->part, nullptr);
    if (!part)
      continue;
    parts[choice.color].push_back({choice.key, part});
    if (!choice.comm->isGone) // an abort waits for the split
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

namespace {

/// Makes the stream's work of an operation; it does nothing if its communicator was aborted.
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

/// Adds a collective in the order of the communicator.
Code addCollective(const NcclCalled &own) {
  std::string why;
  CommObject *comm = own.comm;
  int64_t number = comm->clique->note(comm->rank, own.call, why);
  if (number < 0)
    return comm->error = failNccl(Code::InvalidUsage, why);
  auto work = onStream(comm, [comm, number] {
    return comm->clique->arrive(comm->rank, number) ? Result::Success : Result::NotReady;
  });
  comm->toEnqueue.push_back(
      [stream = own.stream, work] { return enqueueMeeting(stream, {}, work); });
  return Code::Success;
}

/// Adds the messages of a group on one communicator and stream, which wait together.
void addMessages(CommObject *comm, StreamHandle stream, std::vector<NcclCall> calls) {
  auto posts = std::make_shared<std::vector<std::shared_ptr<NcclPost>>>();
  auto work = onStream(comm, [comm, calls, posts] {
    std::string why;
    for (; posts->size() < calls.size();)
      posts->push_back(comm->clique->post(comm->rank, calls[posts->size()], why));
    if (!why.empty()) {
      comm->error = failNccl(Code::InvalidUsage, why);
      return Result::IllegalAddress;
    }
    bool isDone = std::ranges::all_of(*posts, [](const auto &post) { return post->isDone; });
    return isDone ? Result::Success : Result::NotReady;
  });
  comm->toEnqueue.push_back([stream, work] { return enqueueMeeting(stream, {}, work); });
}

} // namespace

Code launch(const std::vector<NcclCalled> &calls) {
  std::vector<std::pair<CommObject *, StreamHandle>> lanes;
  for (const NcclCalled &own : calls) {
    if (Code code = checkUse(own.comm); code != Code::Success)
      return code;
    if (own.comm->isBlocking)
      return failNccl(Code::InvalidUsage, "a blocking communicator is there for simulations alone");
    if (std::ranges::find(lanes, std::pair(own.comm, own.stream)) == lanes.end())
      lanes.emplace_back(own.comm, own.stream);
  }
  for (auto [comm, stream] : lanes) {
    std::vector<NcclCall> messages;
    for (const NcclCalled &own : calls) {
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

Code askState(CommObject *comm, Code &state) {
  Lock order(enqueueing);
  std::vector<EnqueueWork> works;
  {
    Lock lock(library.mutex);
    if (comm->isGone)
      return failNccl(Code::InvalidUsage, "a communicator is asked that was aborted or destroyed");
    state = comm->error;
    auto last = library.splits.find({comm->clique.get(), comm->splits - 1});
    bool isSplitting = comm->clique && last != library.splits.end() &&
                       int(last->second.size()) < comm->clique->ranks;
    if (state == Code::Success && (!comm->clique || isSplitting || comm->polls-- > 0))
      state = Code::InProgress;
    comm->polls = std::max(comm->polls, 0);
    if (state == Code::Success)
      take(comm, works);
  }
  if (!enqueueAll(works))
    state = Code::UnhandledCudaError;
  return Code::Success;
}

Code abortTogether(const std::vector<CommObject *> &comms) {
  for (CommObject *comm : comms)
    if (comm->isGone)
      return failNccl(Code::InvalidUsage,
                      "a communicator is aborted that was aborted or destroyed");
  for (const std::unique_ptr<CommObject> &other : library.comms)
    for (CommObject *comm : comms)
      if (other->gpu == comm->gpu && !other->isGone && other->underWay > 0 &&
          std::ranges::find(comms, other.get()) == comms.end())
        return failNccl(Code::InvalidUsage,
                        "a communicator is aborted alone, and would wait for what "
                        "another one has on its GPU");
  for (CommObject *comm : comms) {
    comm->isGone = true;
    comm->toEnqueue.clear();
    if (comm->part)
      comm->part->isGone = true;
  }
  return Code::Success;
}

} // namespace pcc::test
