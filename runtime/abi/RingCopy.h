// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings of buffers. Example, batch of 4 microbatches of 2 copies, a ring of 3:
//
//   slot (microbatch, copy)   (0,0) (0,1) (1,0) (1,1) (2,0) …
//   index                       0     1     2     3     4
//   copy of the ring            0     1     2     0     1
//
// Where slots are for all copies of a microbatch, the index is the microbatch.

#ifndef PCC_RUNTIME_ABI_RINGCOPY_H
#define PCC_RUNTIME_ABI_RINGCOPY_H

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// The index by which rings turn.
inline uint64_t ringIndex(const BatchPlan &batch, const Slot &slot) {
  return uint64_t(slot.microbatch()) * (batch.together() ? 1 : batch.copies()) + slot.copy();
}

/// Of how many copies of a microbatch a slot brings the rows.
inline uint32_t copiesOfSlot(const BatchPlan &batch) {
  return batch.together() ? batch.copies() : 1;
}

/// The buffer for the rows of a copy, of those that a slot brings.
inline uint32_t bufferOfCopy(const Input &input, uint32_t copy) {
  return copy == 0 ? input.buffer() : input.copy_buffers(int(copy) - 1);
}

/// How many copies a valid buffer has.
inline uint64_t ringLength(const Buffer &buffer) {
  return buffer.has_ring() ? buffer.ring().copies() : 1;
}

/// Where the copy for an index begins in the buffer's space.
inline uint64_t ringOffset(const Buffer &buffer, uint64_t index) {
  return buffer.offset() + index % ringLength(buffer) * buffer.ring().stride();
}

/// Bytes from the first byte of the first copy to the last one of the last.
inline uint64_t ringBytes(const Buffer &buffer) {
  return (ringLength(buffer) - 1) * buffer.ring().stride() + buffer.bytes();
}

/// Whether copies for the same index lie equally far behind the first ones of both buffers: then
/// those overlap for each index or for none.
inline bool turnTogether(const Buffer &a, const Buffer &b) {
  bool isAlike = ringLength(a) == ringLength(b);
  return isAlike && (ringLength(a) == 1 || a.ring().stride() == b.ring().stride());
}

/// Whether so many bytes behind two places in buffers of a program have some in common for some
/// index. Where the buffers turn apart, those of the first copy reach over all.
inline bool mayOverlap(const Buffer &a, uint64_t aOffset, uint64_t aBytes, const Buffer &b,
                       uint64_t bOffset, uint64_t bBytes) {
  bool isTogether = turnTogether(a, b);
  auto endOf = [&](const Buffer &buffer, uint64_t offset, uint64_t bytes) {
    uint64_t others = isTogether ? 0 : ringBytes(buffer) - buffer.bytes();
    return buffer.offset() + offset + bytes + others;
  };
  return a.space() == b.space() && a.offset() + aOffset < endOf(b, bOffset, bBytes) &&
         b.offset() + bOffset < endOf(a, aOffset, aBytes);
}

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_RINGCOPY_H
