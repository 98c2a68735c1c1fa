// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the parts of the interface that no transport overrides: sizes, names, and the members
// of a split. The blocking calls run() and barrier() are a start() followed by a wait().

#include "runtime/collective/Communicator.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/KeepUntilExit.h"

#include <algorithm>

namespace pcc::runtime {

int64_t CollectiveCall::count() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

int64_t destinationBytes(const CollectiveCall &call, int members) {
  if (!call.destination)
    return 0;
  int64_t count = call.count();
  if (call.kind == abi::ALL_GATHER)
    count *= members;
  if (call.kind == abi::REDUCE_SCATTER)
    count /= members;
  if (call.kind == abi::BLOCK_EXCHANGE)
    count = *abi::elementCount(call.targetShape);
  return count * int64_t(abi::elementBytes(call.type));
}

std::vector<int> membersOfColor(std::span<const SplitChoice> choices, int color) {
  std::vector<int> members;
  for (size_t position = 0; position < choices.size(); ++position)
    if (choices[position].color == color)
      members.push_back(int(position));
  std::ranges::stable_sort(members, {}, [&](int member) { return choices[size_t(member)].key; });
  return members;
}

Status Communicator::run(std::span<const CollectiveCall> calls) {
  Expected<Request> request = start(calls);
  return request ? wait(*request) : request.status();
}

Status Communicator::runOwned(std::span<const CollectiveCall> calls,
                              std::shared_ptr<const void> owner) {
  Status status = run(calls);
  if (!status.ok())
    keepUntilExit(std::move(owner));
  return status;
}

Status Communicator::barrier() {
  // Static, since other members may still read the call after an abort ended the wait here.
  static const CollectiveCall call;
  return run({&call, 1});
}

} // namespace pcc::runtime
