// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the memory of a rank into pieces wherever a touched range begins or ends. All bytes of a
// piece behave alike, so the check works on pieces instead of bytes.

#pragma once

#include "runtime/abi/validate/OperandRanges.h"
#include "runtime/check/program/ProgramIndex.h"

namespace pcc::check {

/// The pieces first … end-1.
struct Pieces {
  uint32_t first = 0, end = 0;
};

/// A range of a buffer that an instruction touches, with its pieces by ring entry.
struct Touch {
  uint32_t buffer = 0;
  abi::Reads reads = abi::Reads::No;
  bool writes = false;
  /// Offset within a ring entry.
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::vector<Pieces> pieces;

  const Pieces &of(uint64_t ringIndex) const { return pieces[ringIndex % pieces.size()]; }
};

class ByteMap {
public:
  /// Builds the map without the space CONSTANT, which is never written.
  explicit ByteMap(const ProgramIndex &index);

  uint32_t size() const { return uint32_t(spaces.size()); }
  abi::Space spaceOf(uint32_t piece) const { return spaces[piece]; }
  /// Returns the bytes of a touched piece.
  uint64_t bytesOf(uint32_t piece) const { return offsets[piece + 1] - offsets[piece]; }

  /// Returns the ranges that an instruction touches; `instruction` is its position in
  /// ProgramIndex::instructions. `buffer` returns the range of a whole buffer.
  const std::vector<Touch> &touchesOf(uint32_t instruction) const {
    return ofInstruction[instruction];
  }
  const Touch &buffer(uint32_t number) const { return ofBuffer[number]; }

private:
  void addTouch(const abi::Operand &operand, uint64_t bytes, abi::Reads reads, bool writes,
                std::vector<Touch> &list);
  void cut();

  const abi::MemoryPlan &memory;
  std::vector<std::vector<Touch>> ofInstruction;
  std::vector<Touch> ofBuffer;
  /// Space and offset of each piece; one more entry at the end of each space.
  std::vector<abi::Space> spaces;
  std::vector<uint64_t> offsets;
};

} // namespace pcc::check
