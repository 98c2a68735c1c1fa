// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views the source and the destination of a call as bytes, for transports that move them.

#pragma once

#include "runtime/abi/ElementTypes.h"
#include "runtime/collective/Communicator.h"

namespace pcc::runtime {

inline const std::byte *sourceOf(const CollectiveCall &call) {
  return static_cast<const std::byte *>(call.source);
}
inline std::byte *destinationOf(const CollectiveCall &call) {
  return static_cast<std::byte *>(call.destination);
}

/// Return the bytes of one element, and those of a whole tensor of the call's shape: the source, or
/// the destination of a RECV.
inline int64_t widthOf(const CollectiveCall &call) { return int64_t(abi::elementBytes(call.type)); }
inline int64_t bytesOf(const CollectiveCall &call) { return call.count() * widthOf(call); }

/// Returns the number of elements of a tensor or a box of this shape.
int64_t countOf(const std::vector<int64_t> &shape);

/// Returns the shape of the destination of a permutation or block exchange.
inline const std::vector<int64_t> &targetShapeOf(const CollectiveCall &call) {
  return call.kind == abi::COLLECTIVE_PERMUTE ? call.shape : call.targetShape;
}

/// Returns how many bytes of the destination at `position` a permutation or block exchange zeroes
/// before boxes arrive. It zeroes all bytes if it reduces boxes into the destination, or if a
/// permutation sends no box to it. Otherwise the result is 0.
int64_t zeroedBytes(const CollectiveCall &call, int position);

} // namespace pcc::runtime
