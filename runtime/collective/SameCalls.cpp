// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the calls of members with that of the first.

#include "runtime/collective/SameCalls.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/CollectiveName.h"

namespace pcc::runtime {
namespace {

std::string describe(const CollectiveCall &call) {
  std::string shape;
  for (int64_t extent : call.shape)
    shape += std::to_string(extent) + "x";
  return fmt::format("{} of {}{}, axis {}, root {}{}", abi::collectiveName(call.kind), shape,
                     abi::elementName(call.type), call.axis, call.root,
                     call.fused ? ", fused with the one before it" : "");
}

/// Two members may differ in buffers only. Boxes are compared by number, since they are long.
bool isSame(const CollectiveCall &a, const CollectiveCall &b) {
  if (a.kind != b.kind)
    return false;
  return a.kind == abi::BARRIER ||
         (a.reduction == b.reduction && a.type == b.type && a.shape == b.shape &&
          a.axis == b.axis && a.concatAxis == b.concatAxis && a.root == b.root &&
          a.boxes.size() == b.boxes.size() && a.fused == b.fused);
}

} // namespace

Status checkSame(MemberCalls calls, std::span<const int> ranks) {
  for (size_t p = 1; p < calls.size(); ++p)
    if (!isSame(*calls[0], *calls[p]))
      return Status::failed(fmt::format("rank {} called {}, but rank {} called {}", ranks[0],
                                        describe(*calls[0]), ranks[p], describe(*calls[p])));
  return {};
}

Status checkCounts(std::span<const std::span<const CollectiveCall>> batches,
                   std::span<const int> ranks) {
  for (size_t p = 1; p < batches.size(); ++p)
    if (batches[p].size() != batches[0].size())
      return Status::failed(fmt::format("rank {} started {} collectives together, but rank {} {}",
                                        ranks[0], batches[0].size(), ranks[p], batches[p].size()));
  return {};
}

Status checkMessage(const CollectiveCall &send, int sender, const CollectiveCall &receive,
                    int receiver) {
  if (send.type == receive.type && send.shape == receive.shape)
    return {};
  return Status::failed(fmt::format("rank {} sent {} elements of {}, but rank {} expected {} of {}",
                                    sender, send.count(), abi::elementName(send.type), receiver,
                                    receive.count(), abi::elementName(receive.type)));
}

} // namespace pcc::runtime
