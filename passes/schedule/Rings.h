// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of which several copies are needed, because a microbatch leaves one before another has
// taken its own. Number i (microbatch · copies + copy) lies in copy i mod R
// (runtime/abi/RingCopy.h):
//
//   slots           F0 F1 B0 F2 B1 F3 B2 B3
//   number 0        |-----|
//   number 1           |-----|
//   number 2                 |-----|            R = 2: 2 comes when 0 is gone
//   number 3                       |-----|
//
// Messages run beside the slots. What is received has one copy more than that, so that the next
// message can come while the one before is worked on; of what is sent SizeMessages says how many
// there are.
#pragma once

#include "passes/facts/Sections.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace pcc::schedule {

/// On a `pipe.send`: how many copies of the value there are.
inline constexpr llvm::StringLiteral copiesAttrName = "pipe.copies";

/// When a value is in use: from the slot that makes it to the last one that reads it.
struct Life {
  int64_t number = 0;          ///< by which the ring turns
  int64_t first = 0, last = 0; ///< positions in the step
};

/// The fewest copies such that no two lives overlap whose numbers lie in the same one.
int64_t leastCopies(llvm::ArrayRef<Life> lives);

/// The values of a step that need places of their own.
class Rings {
public:
  Rings(pipe::StepOp step, llvm::MutableArrayRef<facts::Section> sections);

  /// How many copies there are of a value (not a view); 0 where it may lie among temporaries, since
  /// only its own slot knows of it.
  int64_t copiesOf(mlir::Value value) const { return copies.lookup(value); }

private:
  /// The sections that read what some section leaves under this role, and what they pass on of it.
  void addReaders(graph::RoleAttr role, llvm::SmallVectorImpl<unsigned> &readers);
  void addValues(unsigned section);
  int64_t copiesFor(unsigned section, llvm::ArrayRef<unsigned> readers);

  llvm::MutableArrayRef<facts::Section> sections;
  /// By section: position in the step by number.
  std::vector<std::map<int64_t, int64_t>> slots;
  llvm::DenseMap<mlir::Value, int64_t> copies;
  /// By section and readers.
  std::map<std::pair<unsigned, std::vector<unsigned>>, int64_t> known;
};

} // namespace pcc::schedule
