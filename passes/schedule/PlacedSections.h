// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections with a place for every value, as one who goes through their slots needs them: values and
// sums by number, kernels with what they touch.
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "passes/schedule/HeldBytes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

/// Where a place of so many bytes lies in the slot of a number.
ByteSpan getSpan(task::PlaceAttr place, int64_t bytes, int64_t number);

/// A value that lies in memory.
struct PlacedValue {
  mlir::Value value;
  task::PlaceAttr place;
  int64_t bytes = 0;
  llvm::SmallVector<graph::RoleAttr, 1> leftAs; ///< under which roles the section returns it
};

/// A result that is added to a sum over slots.
struct PlacedSum {
  std::optional<unsigned> value; ///< nothing: a constant
  unsigned sum = 0;              ///< in PlacedSections::sums
  bool ends = false;             ///< in the last slot of the section the sum is complete
};

struct PlacedKernel {
  mlir::Operation *op = nullptr; ///< one of the kernel
  std::optional<facts::EarlyPlace> early;
  llvm::SmallVector<unsigned> inputs, outputs; ///< values
  bool reducesInPlace = false; ///< each output is an input, summed over ranks where it lies
  /// What its outputs are added to by its own record, one of them, and by the ones behind it.
  std::optional<PlacedSum> ownSum;
  llvm::SmallVector<PlacedSum> sums;
};

struct PlacedSection {
  facts::Section *section = nullptr;
  llvm::SmallVector<PlacedValue> values;     ///< arguments first, in their order
  llvm::SmallVector<PlacedSum> argumentSums; ///< of what it adds without a kernel
  llvm::SmallVector<PlacedKernel> kernels;
  /// Results that are no sums, by the number of their value; nothing: a constant.
  llvm::SmallVector<std::pair<unsigned, std::optional<unsigned>>> results;
};

/// A kernel of one section that runs in the last slot of another.
struct PlacedEarly {
  unsigned section = 0, kernel = 0;
};

struct PlacedSections {
  std::vector<PlacedSection> sections;
  /// Parameters, states, the step's number: by role, an argument that stands for it.
  llvm::MapVector<mlir::Attribute, PlacedValue> kept;
  struct Sum {
    task::PlaceAttr place;
    int64_t bytes = 0;
    graph::RoleAttr role; ///< null for a sum without one
  };
  llvm::SmallVector<Sum> sums;
  llvm::DenseMap<mlir::Attribute, unsigned> sumOfRole;
  llvm::StringMap<llvm::SmallVector<PlacedEarly>> early; ///< by the section in whose slot they run
};

/// Fails after a diagnostic: something has no place, or a kernel writes over what it still reads.
mlir::FailureOr<PlacedSections> placeSections(llvm::MutableArrayRef<facts::Section> sections);

} // namespace pcc::schedule
