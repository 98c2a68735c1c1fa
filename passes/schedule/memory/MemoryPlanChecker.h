// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the actions of a program to check memory places. Each kernel must find the values that it
// reads, complete and of its own microbatch, at the places that the plan assigned to them.
//
//   action        kernel      reads            temporary bytes 0..8   8..16
//   forward[0]    b = a       a of 0           a of 0                 b of 0
//   forward[1]    b = a       a of 1           a of 1                 b of 1
//   backward[0]   d = b       b of 0: error, 8..16 hold b of 1
//
// The expected values follow from single assignment: a value is the result of its one op in the
// action of its number. The number of an action is microbatch * copies + copy
// (ActionOp::getNumber). The replay does not use live ranges, rings or frames of rings (Rings.h).
//
// The caller of the program reads losses, outputs and gradients when a section is done, and must
// find them as well. Each result must be as its section returns it. A gradient that ranks reduce in
// place must be the result of all these reductions and no others
// (analysis/kernels/HoistedReductions.h).
#pragma once

#include "dialects/task/Task.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/HoistedReductions.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <map>

namespace pcc::schedule {

//===-- MemoryContents.cpp --------------------------------------------------------------------===//

// Tracks which value each byte of memory holds during the execution of a program.
//
//   write a to 0..8   aaaaaaaa
//   write b to 4..6   aaaabbaa     bytes 4 and 5 no longer hold a

/// Contiguous bytes of a memory space.
struct ByteSpan {
  task::Space space = task::Space::Temporary;
  int64_t begin = 0, end = 0;

  bool overlaps(const ByteSpan &other) const {
    return space == other.space && begin < other.end && other.begin < end;
  }
  bool operator==(const ByteSpan &) const = default;
};

/// Values are numbered from 1; 0 means that nothing was written.
class MemoryContents {
public:
  void write(const ByteSpan &span, uint32_t value);

  /// Bytes that hold one value.
  struct Held {
    ByteSpan span;
    uint32_t value = 0;
  };
  /// Returns the first bytes of the span that hold another value; nullopt if all of it holds
  /// `value`.
  std::optional<Held> findOther(const ByteSpan &span, uint32_t value) const;

private:
  /// Start of each run of bytes with the same value; a run ends where the next one starts.
  using Pieces = std::map<int64_t, uint32_t>;

  std::array<Pieces, task::getMaxEnumValForSpace() + 1> spaces;
};

//===-- MemoryPlanChecker.cpp -----------------------------------------------------------------===//

// Sections with a place for every value, in the form that a replay of their actions needs. Values
// and sums have numbers, and kernels list the values that they access.

/// Returns the bytes of a place in the action of this number.
ByteSpan getSpan(task::PlaceAttr place, int64_t bytes, int64_t number);

/// Value that lies in memory.
struct PlacedValue {
  mlir::Value value;
  task::PlaceAttr place;
  int64_t bytes = 0;
  llvm::SmallVector<graph::RoleAttr, 1> returnedAs; ///< roles of the results that it is
};

/// Result that is added to a sum over actions.
struct PlacedSum {
  std::optional<unsigned> value; ///< nullopt: a constant
  unsigned sum = 0;              ///< index in PlacedSections::sums
  bool ends = false;             ///< whether the section's last action adds the last term
};

struct PlacedKernel {
  mlir::Operation *op = nullptr; ///< one op of the kernel
  std::optional<analysis::HoistedPlace> hoisted;
  llvm::SmallVector<unsigned> inputs, outputs; ///< indices of values
  bool reducesInPlace = false;                 ///< each output reduces an input over ranks in place
  /// The sum into which the kernel's instruction accumulates directly.
  std::optional<PlacedSum> ownSum;
  /// Sums to which instructions behind the kernel add: its outputs, or those of a collective that
  /// is done by now.
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
  llvm::MapVector<mlir::Attribute, PlacedValue> persistent;
  struct Sum {
    task::PlaceAttr place;
    int64_t bytes = 0;
    graph::RoleAttr role; ///< null for a sum without a role
  };
  llvm::SmallVector<Sum> sums;
  llvm::DenseMap<mlir::Attribute, unsigned> sumOfRole;
  llvm::StringMap<llvm::SmallVector<PlacedHoisted>>
      hoisted; ///< by the section in which they run, in order
};

/// Fails with a diagnostic if a value has no place, or if a kernel overwrites an operand it still
/// reads.
mlir::FailureOr<PlacedSections> placeSections(llvm::MutableArrayRef<analysis::Section> sections);

/// Replays the actions of one program in order. Holds a version number for each byte of memory, and
/// the version that each value, sum and parameter should have.
class MemoryPlanChecker {
public:
  /// `step` is null if there is none. All arguments must outlive this object.
  MemoryPlanChecker(const PlacedSections &placed, const analysis::HoistedReductions &reductions,
                    pipe::StepOp step)
      : placed(placed), reductions(reductions), step(step) {}

  /// Replays the step, then each section outside it with fresh memory. Fails with a diagnostic at
  /// the first kernel that does not find the values that it reads.
  mlir::LogicalResult run();

private:
  /// Values of a section in one action, as version numbers; 0: not computed yet.
  using Versions = std::vector<uint32_t>;
  /// A value in the action of a number.
  struct Version {
    mlir::Value value;
    int64_t number = 0;
    uint32_t reducedFrom = 0; ///< the version that was reduced over ranks in place
  };
  struct Sum {
    uint32_t version = 0; ///< 0: not begun
    bool isComplete = false;
  };
  /// Action being replayed.
  struct Action {
    unsigned section = 0;
    int64_t number = 0;
    bool isLast = false; ///< last action of its section
  };

  void begin();
  mlir::LogicalResult runStep();
  mlir::LogicalResult runAction(const Action &action);
  mlir::LogicalResult bindArguments(const Action &action, Versions &own);
  uint32_t findArgument(const Action &action, unsigned argument);
  mlir::LogicalResult runKernel(const Action &action, const PlacedKernel &kernel, Versions &own);
  mlir::LogicalResult runHoisted(const PlacedHoisted &hoisted);
  mlir::LogicalResult write(const Action &action, const PlacedKernel &kernel, Versions &own);
  mlir::LogicalResult addInPlace(const Action &action, const PlacedKernel &kernel,
                                 const Versions &own);
  mlir::LogicalResult add(const Action &action, const PlacedSum &sum, const Versions &own,
                          mlir::Operation *op);
  mlir::LogicalResult endAction(const Action &action, const Versions &own);
  mlir::LogicalResult checkReturned(const Action &action, const Versions &own);
  mlir::LogicalResult checkReduced(const Action &action);
  mlir::LogicalResult expectReduced(const Action &action, const ByteSpan &span, uint32_t made,
                                    const analysis::HoistedReduction &reduction);
  uint32_t findReduced(mlir::Value result, uint32_t from) const;
  const analysis::HoistedReduction *reductionOf(graph::RoleAttr role) const;
  mlir::LogicalResult setParameters(const Action &action, const Versions &own);
  mlir::LogicalResult checkSums(const Action &action);
  mlir::LogicalResult checkParameters(mlir::Operation *end);

  uint32_t make(mlir::Value value, int64_t number, uint32_t reducedFrom = 0);
  void publish(const Action &action, unsigned value, uint32_t version);
  mlir::LogicalResult expect(mlir::Operation *reader, const Action &action, const ByteSpan &span,
                             uint32_t version) {
    return expectDuring(&action, reader, span, version);
  }
  /// `action` is null at the end of a step or section, which `reader` is then.
  mlir::LogicalResult expectDuring(const Action *action, mlir::Operation *reader,
                                   const ByteSpan &span, uint32_t version);
  mlir::LogicalResult expectValue(mlir::Operation *reader, const Action &action, unsigned value,
                                  const Versions &own);
  void describe(mlir::Diagnostic &diagnostic, uint32_t version) const;
  const PlacedValue &valueAt(const Action &action, unsigned value) const {
    return placed.sections[action.section].values[value];
  }

  const PlacedSections &placed;
  const analysis::HoistedReductions &reductions;
  pipe::StepOp step;
  MemoryContents bytes;
  std::vector<Version> versions;
  std::vector<Sum> sums;
  /// Versions that sections have returned, by role, and by number if they belong to a microbatch.
  llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, uint32_t> returned;
  llvm::DenseMap<mlir::Attribute, uint32_t> persistent; ///< parameters, states, the step's number
  /// By section: its values so far, if hoisted kernels of it have run before its action.
  llvm::DenseMap<unsigned, Versions> begun;
};

} // namespace pcc::schedule
