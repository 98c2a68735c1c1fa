// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/mpi/Messages.h"

#include "runtime/collective/mpi/Parts.h"

#include <algorithm>

namespace pcc::runtime::mpi {

Message::Message(const Members &members, Channel channel, int position, const CollectiveCall &call)
    : members(members), channel(channel), position(position), call(call) {}

/// Returns MPI's tag. MPI knows processes, not ranks, so the tag includes which member of a process
/// sends and which one receives.
Expected<int32_t> Message::tag() const {
  bool isSend = call.kind == abi::SEND;
  int sender = members.indexInProcess(isSend ? position : call.root);
  int receiver = members.indexInProcess(isSend ? call.root : position);
  size_t most = 0;
  for (const std::vector<int> &positions : members.positionsOf)
    most = std::max(most, positions.size());
  int64_t each = int64_t(most);
  int64_t whole = (int64_t(call.tag) * each + sender) * each + receiver;
  if (int64_t greatest = channel.mpi.max_tag(); whole > greatest)
    return Status::failed(
        fmt::format("{}: expected a tag up to {} for {} ranks in a process, got {}",
                    collectiveName(call.kind), greatest / (each * each) - 1, each, call.tag));
  return int32_t(whole);
}

void Message::start() {
  if (call.count() > maxElements)
    return end(Status::failed(fmt::format("{}: expected at most {} elements in one message of MPI, "
                                          "got {}",
                                          collectiveName(call.kind), maxElements, call.count())));
  Expected<int32_t> number = tag();
  if (!number)
    return end(number.status());
  int32_t count = int32_t(call.count()), peer = members.processOf[call.root];
  int code = call.kind == abi::SEND ? channel.mpi.send(call.source, count, widthOf(call), peer,
                                                       *number, channel.group, &request)
                                    : channel.mpi.receive(call.destination, count, widthOf(call),
                                                          peer, *number, channel.group, &request);
  if (code != 0)
    end(statusOf(channel.mpi, code));
}

bool Message::advance() {
  if (isDone)
    return false;
  int32_t done = 0, bytes = 0;
  int code = channel.mpi.test(&request, &done, &bytes);
  if (code != 0)
    end(statusOf(channel.mpi, code));
  else if (done)
    end(call.kind == abi::RECV ? checkSize(bytes) : Status());
  return isDone;
}

Status Message::checkSize(int32_t bytes) const {
  if (bytes == bytesOf(call))
    return {};
  return Status::failed(fmt::format("rank {} sent {} bytes, but rank {} expected {} elements of {}",
                                    members.ranks[call.root], bytes, members.ranks[position],
                                    call.count(), abi::elementName(call.type)));
}

void Message::end(Status status) {
  isDone = true;
  whenDone.set(std::move(status));
}

} // namespace pcc::runtime::mpi
