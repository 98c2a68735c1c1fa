// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings of buffers. Example: a batch of 4 microbatches of 2 copies, a ring of depth 3:
//
//   action (microbatch, copy)  (0,0) (0,1) (1,0) (1,1) (2,0) …
//   ring index                   0     1     2     3     4
//   entry in the ring            0     1     2     0     1
//
// If an action runs all copies of a microbatch, the ring index is the microbatch.

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// Returns the ring index of an action.
inline uint64_t ringIndex(const BatchPlan &batch, const Action &action) {
  return uint64_t(action.microbatch()) * (batch.together() ? 1 : batch.copies()) + action.copy();
}

/// Returns the number of copies of a microbatch whose rows an action reads.
inline uint32_t copiesPerAction(const BatchPlan &batch) {
  return batch.together() ? batch.copies() : 1;
}

/// Returns the buffer for the rows of one of the copies that an action reads.
inline uint32_t bufferOfCopy(const Input &input, uint32_t copy) {
  return copy == 0 ? input.buffer() : input.copy_buffers(int(copy) - 1);
}

/// Returns the ring depth of a valid buffer; 1 without a ring.
inline uint64_t ringDepth(const Buffer &buffer) {
  return buffer.has_ring() ? buffer.ring().depth() : 1;
}

/// Returns the offset in the buffer's space of the entry for a ring index.
inline uint64_t ringOffset(const Buffer &buffer, uint64_t index) {
  return buffer.offset() + index % ringDepth(buffer) * buffer.ring().stride();
}

/// Returns the bytes from the first byte of the first entry to the last byte of the last one.
inline uint64_t ringBytes(const Buffer &buffer) {
  return (ringDepth(buffer) - 1) * buffer.ring().stride() + buffer.bytes();
}

/// Whether the entries for the same index have equal offsets in both rings. Two ranges then
/// overlap for every index or for none.
inline bool haveEqualRings(const Buffer &a, const Buffer &b) {
  bool isAlike = ringDepth(a) == ringDepth(b);
  return isAlike && (ringDepth(a) == 1 || a.ring().stride() == b.ring().stride());
}

/// Whether two ranges of `aBytes` and `bBytes` bytes in two buffers may overlap for some ring
/// index. If the rings differ, the ranges over all entries are compared.
inline bool mayOverlap(const Buffer &a, uint64_t aOffset, uint64_t aBytes, const Buffer &b,
                       uint64_t bOffset, uint64_t bBytes) {
  bool isTogether = haveEqualRings(a, b);
  auto endOf = [&](const Buffer &buffer, uint64_t offset, uint64_t bytes) {
    uint64_t others = isTogether ? 0 : ringBytes(buffer) - buffer.bytes();
    return buffer.offset() + offset + bytes + others;
  };
  return a.space() == b.space() && a.offset() + aOffset < endOf(b, bOffset, bBytes) &&
         b.offset() + bOffset < endOf(a, aOffset, aBytes);
}

} // namespace pcc::abi
