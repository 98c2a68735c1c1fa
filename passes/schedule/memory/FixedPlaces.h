// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory places outside the temporaries, allocated one after the other:
//
//   persistent   parameter "w" | state "w.moment" | the step's number | sum of the gradient "w" | …
//   input        x | y, copy 0 | y, copy 1 | …
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"

namespace pcc::schedule {

/// Bump allocator of offsets in one memory space.
class BumpAllocator {
public:
  BumpAllocator(mlir::MLIRContext *context, task::Space space) : context(context), space(space) {}

  task::PlaceAttr take(int64_t bytes);
  int64_t getEnd() const { return end; }

private:
  mlir::MLIRContext *context;
  task::Space space;
  int64_t end = 0;
};

/// Fixed places of one module.
class FixedPlaces {
public:
  explicit FixedPlaces(mlir::MLIRContext *context)
      : persistent(context, task::Space::Persistent), input(context, task::Space::Input) {}

  /// Allocates inputs, parameters, states and the step's number that the section reads.
  void addArguments(analysis::Section &section);
  /// Allocates the sums over actions to which the section adds. Sums are f32 whatever the type of
  /// the value. Their places are annotated, because kernels add to them directly.
  void addSums(analysis::Section &section);

  /// Returns the place of a role or Section::getArgumentKey; null if the value is a temporary.
  task::PlaceAttr find(mlir::Attribute key) const { return places.lookup(key); }
  int64_t getPersistentBytes() const { return persistent.getEnd(); }
  int64_t getInputBytes() const { return input.getEnd(); }

private:
  BumpAllocator persistent, input;
  llvm::DenseMap<mlir::Attribute, task::PlaceAttr> places;
};

} // namespace pcc::schedule
