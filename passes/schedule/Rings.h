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
// Values that are made in the same slots, and read for the last time in the same, share a ring:
// each of its copies is a frame with room for all of them (Layout.h).
//
// Messages run beside the slots, so what they touch has a ring of its own. What is received has one
// copy more than that, so that the next message can come while the one before is worked on. What is
// sent is in use as long as the message may be in flight, which SizeMessages says, whichever
// section sends it.
#pragma once

#include "passes/facts/Sections.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include <map>

namespace pcc::schedule {

/// On a `pipe.send`, by number of its slot: the last slot of the step during which the message may
/// be in flight.
inline constexpr llvm::StringLiteral inFlightAttrName = "pipe.in_flight_until";

/// When a value is in use: from the slot that makes it to the last one that reads it.
struct Life {
  int64_t number = 0;          ///< by which the ring turns
  int64_t first = 0, last = 0; ///< positions in the step

  auto operator<=>(const Life &) const = default;
};

/// The fewest copies such that no two lives overlap whose numbers lie in the same one.
int64_t leastCopies(llvm::ArrayRef<Life> lives);

/// Frames of values of equal lives.
struct FrameRing {
  unsigned maker = 0;      ///< the section that makes them
  std::vector<Life> lives; ///< by number
  int64_t copies = 0;
  /// Sections that run while the frame of their number is in use, the maker among them, if they
  /// keep their order among themselves in all numbers: what they make and read may lie in the frame
  /// as well. Where weight gradients of one chunk come now before, now behind those of another,
  /// neither section knows whether it reads something for the last time.
  llvm::SmallSet<unsigned, 4> inside;
};

/// A slot of the step.
struct SectionSlot {
  unsigned section = 0;
  int64_t number = 0;
};

/// The values of a step that need places of their own.
class Rings {
public:
  Rings(pipe::StepOp step, llvm::MutableArrayRef<facts::Section> sections);

  /// The number of the frame ring in which a value (not a view) lies; nothing if it lies in none.
  std::optional<unsigned> frameOf(mlir::Value value) const;
  /// How many copies there are of a value that messages touch; 0 of others.
  int64_t copiesOf(mlir::Value value) const { return copies.lookup(value); }

  llvm::ArrayRef<FrameRing> getFrames() const { return frames; }
  /// In the order of the step; `section` counts the sections.
  llvm::ArrayRef<SectionSlot> getSlots() const { return slots; }

private:
  /// The uses of a value that a section makes: sections that read it later, and messages of any
  /// section that send it.
  struct Readers {
    llvm::SmallVector<unsigned> sections;
    llvm::SmallVector<pipe::SendOp> sends;
  };
  /// Adds the readers of a saved role, and of the roles under which they pass it on.
  void addReaders(graph::RoleAttr role, Readers &readers);
  void addValues(unsigned section);
  std::vector<Life> livesOf(unsigned section, const Readers &readers) const;
  unsigned frameFor(unsigned section, std::vector<Life> lives);
  bool keepOrder(unsigned a, unsigned b) const;
  void findInside(FrameRing &frame) const;

  llvm::MutableArrayRef<facts::Section> sections;
  std::vector<SectionSlot> slots;
  /// By section: position in the step by number.
  std::vector<std::map<int64_t, int64_t>> positions;
  llvm::DenseMap<mlir::Value, int64_t> copies;
  llvm::DenseMap<mlir::Value, unsigned> frameNumbers;
  std::vector<FrameRing> frames;
};

} // namespace pcc::schedule
