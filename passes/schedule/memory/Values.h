// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a program that lie in memory, with their live ranges and shared buffers.
//
// Time counts instructions. The sections of the step follow one another; a section outside the step
// has its own timeline. Buffers of the step and of sections outside may share bytes.
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/solve/pack/PackProblem.h"

namespace pcc::schedule {

/// A buffer: one value, or several values that overwrite each other.
struct Buffer {
  int64_t bytes = 0;
  int64_t first = 0;        ///< time of the instruction that writes it
  int64_t last = 0;         ///< time of the last instruction that reads it
  task::PlaceAttr place;    ///< prescribed place; null: a temporary
  bool overwritable = true; ///< false if a later run needs its contents
  int64_t depth = 0;        ///< depth of its own ring, which nothing else shares; 0: no own ring
  std::optional<unsigned> frame = {};            ///< index of its frame ring
  llvm::SmallVector<mlir::Value, 1> values = {}; ///< that it holds one after the other
};

/// Buffers of one timeline.
class Values {
public:
  /// Returns the buffer of a value, or of the value behind a view; null if it has none yet.
  Buffer *find(mlir::Value value);
  Buffer &add(mlir::Value value, Buffer buffer);
  /// Lets `value` share the buffer of `other`; their live ranges are merged.
  void share(mlir::Value value, mlir::Value other);
  /// Extends the live range of the value's buffer.
  void readAt(mlir::Value value, int64_t time);

  /// Returns the buffers that were added with `place`.
  llvm::ArrayRef<Buffer *> findAt(task::PlaceAttr place) const;
  /// Values with a buffer, in order of definition.
  llvm::ArrayRef<mlir::Value> all() const { return order; }
  /// Returns distinct buffers without a place: unrestricted ones, those with rings of their own,
  /// and those in a frame ring.
  llvm::SmallVector<Buffer *> temporaries();
  llvm::SmallVector<Buffer *> rings();
  llvm::SmallVector<Buffer *> inFrame(unsigned frame);

private:
  llvm::SmallVector<Buffer *> unplaced(llvm::function_ref<bool(const Buffer &)> matches);

  llvm::SmallVector<std::unique_ptr<Buffer>> buffers;
  llvm::DenseMap<mlir::Value, Buffer *> bufferOf;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<Buffer *, 2>> buffersAt; ///< by place
  llvm::SmallVector<mlir::Value> order;
};

/// Whether the kernel may write `output` over `input`, which it reads for the last time. It must
/// read each element of the input only for the element of the output that replaces it.
bool mayOverwrite(const analysis::Kernel &kernel, mlir::Value input, mlir::Value output);

} // namespace pcc::schedule
