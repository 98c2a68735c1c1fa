// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ring buffers of values that several microbatches keep at once, because one produces the value
// before another has consumed its own. Number i (microbatch · k + copy) uses entry i mod R, where R
// is the depth of the ring (runtime/abi/program/BufferRings.h):
//
//   actions         F0 F1 B0 F2 B1 F3 B2 B3
//   number 0        |-----|
//   number 1           |-----|
//   number 2                 |-----|            R = 2: number 2 starts after number 0 has ended
//   number 3                       |-----|
//
// Values that are produced in the same actions, and read for the last time in the same actions,
// share a ring. Each entry of this ring is a frame with room for all of them (Layout.cpp).
//
// Messages run concurrently with actions, so each value that is sent or received has its own ring.
// A receive ring has one additional entry, so that the next message can arrive while the current
// one is processed. A sent value is in use as long as its transfer may be in flight, as computed by
// AnnotateInFlight, whichever section sends it.
#pragma once

#include "passes/analysis/Sections.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include <map>

namespace pcc::schedule {

/// Attribute of `pipe.send`: by number of its action, the last action of the step during which the
/// transfer may be in flight.
inline constexpr llvm::StringLiteral inFlightAttrName = "pipe.in_flight_until";

/// Interval in which a value is in use: from the action that produces it to the last one that reads
/// it.
struct UseInterval {
  int64_t number = 0;          ///< selects the ring entry
  int64_t first = 0, last = 0; ///< positions in the step

  auto operator<=>(const UseInterval &) const = default;
};

/// Returns the minimum depth at which no two intervals that use the same entry overlap.
int64_t minDepth(llvm::ArrayRef<UseInterval> intervals);

/// Ring of frames of values with equal intervals.
struct FrameRing {
  unsigned maker = 0;                 ///< section that produces the values
  std::vector<UseInterval> intervals; ///< by number
  int64_t depth = 0;
  /// Sections that run while the frame of their number is in use, including the maker. Their values
  /// may use gaps of the frame. They must keep their order among themselves in all numbers. If the
  /// weight gradients of one virtual stage run sometimes before and sometimes after those of
  /// another, neither section knows whether it reads a value for the last time.
  llvm::SmallSet<unsigned, 4> inside;
};

/// Action of the step.
struct SectionAction {
  unsigned section = 0;
  int64_t number = 0;
};

/// Values of a step that lie in rings.
class Rings {
public:
  Rings(pipe::StepOp step, llvm::MutableArrayRef<analysis::Section> sections);

  /// Returns the index of the frame ring in which a value (not a view) lies; nullopt if in none.
  std::optional<unsigned> frameOf(mlir::Value value) const;
  /// Returns the ring depth of a value that is sent or received; 0 for other values.
  int64_t depthOf(mlir::Value value) const { return depth.lookup(value); }

  llvm::ArrayRef<FrameRing> getFrames() const { return frames; }
  /// Actions in the order of the step; `section` is an index into the sections.
  llvm::ArrayRef<SectionAction> getActions() const { return actions; }

private:
  /// Uses of a value that a section produces: sections that read it later, and sends of it in any
  /// section.
  struct Readers {
    llvm::SmallVector<unsigned> sections;
    llvm::SmallVector<pipe::SendOp> sends;
  };
  /// An argument of a section: what the section sends and returns of it.
  struct Argument {
    unsigned section = 0;
    llvm::SmallVector<pipe::SendOp, 1> sends;
    llvm::SmallVector<graph::RoleAttr, 1> passedOn; ///< roles of results
  };
  void findArguments();
  /// Collects the transitive readers of a saved activation.
  void addReaders(graph::RoleAttr saved, Readers &readers) const;
  void addValues(unsigned section);
  std::vector<UseInterval> intervalsOf(unsigned section, const Readers &readers) const;
  unsigned frameFor(unsigned section, std::vector<UseInterval> intervals);
  bool keepOrder(unsigned a, unsigned b) const;
  void findInside(FrameRing &frame) const;

  llvm::MutableArrayRef<analysis::Section> sections;
  std::vector<SectionAction> actions;
  llvm::DenseMap<graph::RoleAttr, llvm::SmallVector<Argument, 1>> arguments; ///< by role
  /// By section: position in the step by number.
  std::vector<std::map<int64_t, int64_t>> positions;
  llvm::DenseMap<mlir::Value, int64_t> depth;
  llvm::DenseMap<mlir::Value, unsigned> frameNumbers;
  std::vector<FrameRing> frames;
};

} // namespace pcc::schedule
