// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes sizes for all transports. Each transport zeroes the first zeroedBytes() bytes of a
// destination, so all leave the same values where no box arrives.

#include "runtime/collective/CallBytes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace pcc::runtime {

int64_t countOf(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies());
}

int64_t zeroedBytes(const CollectiveCall &call, int position) {
  auto comesHere = [&](const Box &box) { return box.target == position; };
  bool isLeftOut = call.kind == abi::COLLECTIVE_PERMUTE &&
                   std::none_of(call.boxes.begin(), call.boxes.end(), comesHere);
  return call.reduceBoxes || isLeftOut ? countOf(targetShapeOf(call)) * widthOf(call) : 0;
}

} // namespace pcc::runtime
