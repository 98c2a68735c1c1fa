// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a rank, cut wherever something that its program touches begins or ends. What holds
// for one byte between two cuts holds for all of them, so a piece stands for its bytes.

#ifndef PCC_RUNTIME_CHECK_BYTEMAP_H
#define PCC_RUNTIME_CHECK_BYTEMAP_H

#include "runtime/abi/OperandRanges.h"
#include "runtime/check/ProgramIndex.h"

namespace pcc::check {

/// Numbers of pieces, first … end-1.
struct Pieces {
  uint32_t first = 0, end = 0;
};

/// A part of a buffer that is touched, by copy of the buffer's ring.
struct Touch {
  uint32_t buffer = 0;
  abi::Reads reads = abi::Reads::No;
  bool writes = false;
  /// Within a copy of the buffer.
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::vector<Pieces> pieces;

  const Pieces &of(uint64_t ringIndex) const { return pieces[ringIndex % pieces.size()]; }
};

class ByteMap {
public:
  /// Spaces that nobody writes in a run are left out.
  explicit ByteMap(const ProgramIndex &index);

  uint32_t size() const { return uint32_t(spaces.size()); }
  abi::Space spaceOf(uint32_t piece) const { return spaces[piece]; }
  /// Of a piece that something touches.
  uint64_t bytesOf(uint32_t piece) const { return offsets[piece + 1] - offsets[piece]; }

  /// What a record touches (its place in ProgramIndex::records), and a whole buffer.
  const std::vector<Touch> &touchesOf(uint32_t record) const { return ofRecord[record]; }
  const Touch &buffer(uint32_t number) const { return ofBuffer[number]; }

private:
  void addTouch(const abi::Operand &operand, uint64_t bytes, abi::Reads reads, bool writes,
                std::vector<Touch> &list);
  void cut();

  const abi::MemoryPlan &memory;
  std::vector<std::vector<Touch>> ofRecord;
  std::vector<Touch> ofBuffer;
  /// By piece; an entry more where a space ends.
  std::vector<abi::Space> spaces;
  std::vector<uint64_t> offsets;
};

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_BYTEMAP_H
