// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a program that lie in memory, when each is live, and which of them share a buffer.
//
// Time counts records: those of the step's sections one after the other; a section outside the step
// has a time of its own. Buffers of the step and of sections outside may share bytes freely.
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "passes/solve/Pack.h"

namespace pcc::schedule {

/// A buffer: one value, or several of which each is written over the one before.
struct Buffer {
  int64_t bytes = 0;
  int64_t first = 0;        ///< time of the record that writes it
  int64_t last = 0;         ///< time of the last record that reads it
  task::PlaceAttr place;    ///< where it must lie; null: a temporary, free to choose
  bool overwritable = true; ///< false where a later run still needs what it holds
  int64_t copies = 0;       ///< of its own place, which nothing else shares; 0: no such place
  std::optional<unsigned> frame = {}; ///< the ring of frames in which it lies
};

/// The buffers of one timeline.
class Values {
public:
  /// The buffer of a value (of the value that a view is a view of); null if it has none yet.
  Buffer *find(mlir::Value value);
  Buffer &add(mlir::Value value, Buffer buffer);
  /// `value` lies where `other` lies; their live ranges become one.
  void share(mlir::Value value, mlir::Value other);
  /// Extends the live range of the value's buffer.
  void readAt(mlir::Value value, int64_t time);

  /// Every value with a buffer, in order of definition.
  llvm::ArrayRef<mlir::Value> all() const { return order; }
  /// Distinct buffers without a place: those that lie anywhere, those with copies of their own, and
  /// those in the frames of a ring.
  llvm::SmallVector<Buffer *> temporaries();
  llvm::SmallVector<Buffer *> rings();
  llvm::SmallVector<Buffer *> inFrame(unsigned frame);

private:
  llvm::SmallVector<Buffer *> unplaced(llvm::function_ref<bool(const Buffer &)> matches);

  llvm::SmallVector<std::unique_ptr<Buffer>> buffers;
  llvm::DenseMap<mlir::Value, Buffer *> bufferOf;
  llvm::SmallVector<mlir::Value> order;
};

/// True if the kernel may write `output` over `input`, which it reads for the last time: it reads
/// each element of the input only for the element of the output that replaces it.
bool mayOverwrite(const facts::Kernel &kernel, mlir::Value input, mlir::Value output);

/// The last kernel of the section that reads `value` through memory; -1 if none does. The
/// function's return counts as a read after all kernels.
int64_t lastReader(mlir::Value value, int64_t numKernels);

} // namespace pcc::schedule
