// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections with a place for every value, in the form that a replay of their actions needs. Values
// and sums have numbers, and kernels list the values that they access.
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/schedule/memory/MemoryContents.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

/// Returns the bytes of a place in the action of this number.
ByteSpan getSpan(task::PlaceAttr place, int64_t bytes, int64_t number);

/// Value that lies in memory.
struct PlacedValue {
  mlir::Value value;
  task::PlaceAttr place;
  int64_t bytes = 0;
  llvm::SmallVector<graph::RoleAttr, 1> leftAs; ///< roles under which the section returns it
};

/// Result that is added to a sum over actions.
struct PlacedSum {
  std::optional<unsigned> value; ///< nullopt: a constant
  unsigned sum = 0;              ///< index in PlacedSections::sums
  bool ends = false;             ///< complete after the section's last action
};

struct PlacedKernel {
  mlir::Operation *op = nullptr; ///< one op of the kernel
  std::optional<analysis::HoistedPlace> hoisted;
  llvm::SmallVector<unsigned> inputs, outputs; ///< indices of values
  bool reducesInPlace = false;                 ///< each output reduces an input over ranks in place
  /// Sums that the kernel's own instruction, at most one, and the instructions after it add outputs
  /// to.
  std::optional<PlacedSum> ownSum;
  llvm::SmallVector<PlacedSum> sums;
};

struct PlacedSection {
  analysis::Section *section = nullptr;
  llvm::SmallVector<PlacedValue> values;     ///< arguments first, in their order
  llvm::SmallVector<PlacedSum> argumentSums; ///< sums to which it adds without a kernel
  llvm::SmallVector<PlacedKernel> kernels;
  /// Results that are no sums, with the index of their value; nullopt: a constant.
  llvm::SmallVector<std::pair<unsigned, std::optional<unsigned>>> results;
};

/// Hoisted kernel of one section that runs in the last action of another.
struct PlacedHoisted {
  unsigned section = 0, kernel = 0;
};

struct PlacedSections {
  std::vector<PlacedSection> sections;
  /// Parameters, states and the step's number: by role, one of the arguments that pass it.
  llvm::MapVector<mlir::Attribute, PlacedValue> kept;
  struct Sum {
    task::PlaceAttr place;
    int64_t bytes = 0;
    graph::RoleAttr role; ///< null for a sum without a role
  };
  llvm::SmallVector<Sum> sums;
  llvm::DenseMap<mlir::Attribute, unsigned> sumOfRole;
  llvm::StringMap<llvm::SmallVector<PlacedHoisted>> hoisted; ///< by the section in which they run
};

/// Fails with a diagnostic if a value has no place, or if a kernel overwrites an operand it still
/// reads.
mlir::FailureOr<PlacedSections> placeSections(llvm::MutableArrayRef<analysis::Section> sections);

} // namespace pcc::schedule
