// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of a call as bytes in memory, for those who move them.

#ifndef PCC_RUNTIME_COLLECTIVE_CALLBYTES_H
#define PCC_RUNTIME_COLLECTIVE_CALLBYTES_H

#include "runtime/abi/ElementTypes.h"
#include "runtime/collective/Communicator.h"

namespace pcc::runtime {

inline const std::byte *sourceOf(const CollectiveCall &call) {
  return static_cast<const std::byte *>(call.source);
}
inline std::byte *destinationOf(const CollectiveCall &call) {
  return static_cast<std::byte *>(call.destination);
}

/// Bytes of an element, and of the source.
inline int64_t widthOf(const CollectiveCall &call) { return int64_t(abi::elementBytes(call.type)); }
inline int64_t bytesOf(const CollectiveCall &call) { return call.count() * widthOf(call); }

/// Elements of a dense tensor or of a box.
int64_t countOf(const std::vector<int64_t> &shape);

/// The shape of the destination of a permutation or block exchange.
inline const std::vector<int64_t> &targetShapeOf(const CollectiveCall &call) {
  return call.kind == abi::COLLECTIVE_PERMUTE ? call.shape : call.targetShape;
}

/// How many bytes of the destination of a permutation or block exchange become zero at a position
/// before boxes come: all, where boxes are reduced into it, and where a permutation sends none.
int64_t zeroedBytes(const CollectiveCall &call, int position);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_COLLECTIVE_CALLBYTES_H
