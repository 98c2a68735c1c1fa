// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the bytes that an instruction reads and writes, which determine the order of instructions.
#pragma once

#include "dialects/task/Task.h"

namespace pcc::lower {

/// A part of a memory space, or of each entry of a ring buffer there.
struct ByteRange {
  task::Space space = task::Space::Temporary;
  int64_t begin = 0, end = 0;     ///< of the first ring entry
  int64_t copies = 1, stride = 0; ///< depth and stride of the ring

  /// Returns whether the range for ring number `own` overlaps that of `other` for `theirs`.
  bool overlaps(int64_t own, const ByteRange &other, int64_t theirs) const;
  /// Returns whether the ranges overlap for some ring numbers.
  bool mayOverlap(const ByteRange &other) const;
};

/// Access of an instruction to one of its buffers.
struct InstructionAccess {
  ByteRange range;
  bool reads = false, writes = false;
};

/// Returns the accesses of an instruction. A kernel without `accesses` may read and write all its
/// buffers.
llvm::SmallVector<InstructionAccess> accessesOf(mlir::Operation *instruction);

} // namespace pcc::lower
