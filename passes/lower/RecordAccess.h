// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes a record touches, and how: what orders records.
#pragma once

#include "dialects/task/Task.h"

namespace pcc::lower {

/// A part of a space, or of each copy of a ring there.
struct ByteRange {
  task::Space space = task::Space::Temporary;
  int64_t begin = 0, end = 0;     ///< of the first copy
  int64_t copies = 1, stride = 0; ///< of the ring

  /// Whether the part for ring number `own` and that of `other` for `theirs` have bytes in common.
  bool overlaps(int64_t own, const ByteRange &other, int64_t theirs) const;
  /// The same for some numbers.
  bool mayOverlap(const ByteRange &other) const;
};

/// What a record does with one of its buffers.
struct RecordAccess {
  ByteRange range;
  bool reads = false, writes = false;
};

/// The accesses of a record; a kernel that does not tell may read and write all that it has.
llvm::SmallVector<RecordAccess> accessesOf(mlir::Operation *record);

} // namespace pcc::lower
