// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose slots are gone through with nothing but the question which value lies where: each
// kernel must find the values that it reads, whole and of its own microbatch, at the places that
// the plan gave them.
//
//   slot          kernel      reads            temporary bytes 0..8   8..16
//   forward[0]    b = a       a of 0           a of 0                 b of 0
//   forward[1]    b = a       a of 1           a of 1                 b of 1
//   backward[0]   d = b       b of 0: error, 8..16 hold b of 1
//
// What is found is what single assignment says: a value is what its one op made of it, in the slot
// of that number. Nothing here knows of live ranges, rings or frames.
//
// The outside reads losses, outputs and gradients when a section is done, and must find them as
// well: each as its section returns it, and a gradient that ranks sum in its place after all of
// these sums, and no other (facts/EarlyReductions.h).
#pragma once

#include "passes/facts/EarlyReductions.h"
#include "passes/schedule/PlacedSections.h"

namespace pcc::schedule {

class MemoryReplay {
public:
  /// `step`: null where there is none. All outlive this.
  MemoryReplay(const PlacedSections &placed, const facts::EarlyReductions &reductions,
               pipe::StepOp step)
      : placed(placed), reductions(reductions), step(step) {}

  /// Runs the step, then each section outside it on memory of its own. Fails after a diagnostic at
  /// the first kernel that does not find what it reads.
  mlir::LogicalResult run();

private:
  /// The values of a section in one slot, as numbers of versions; 0: not made yet.
  using Versions = std::vector<uint32_t>;
  /// A value in the slot of a number.
  struct Version {
    mlir::Value value;
    int64_t number = 0;
    uint32_t reducedFrom = 0; ///< the version that was summed over ranks where it lies
  };
  struct Sum {
    uint32_t version = 0; ///< 0: not begun
    bool isComplete = false;
  };
  /// What runs.
  struct Slot {
    unsigned section = 0;
    int64_t number = 0;
    bool isLast = false; ///< of its section
  };

  void begin();
  mlir::LogicalResult runStep();
  mlir::LogicalResult runSlot(const Slot &slot);
  mlir::LogicalResult bindArguments(const Slot &slot, Versions &own);
  uint32_t findArgument(const Slot &slot, unsigned argument);
  mlir::LogicalResult runKernel(const Slot &slot, const PlacedKernel &kernel, Versions &own);
  mlir::LogicalResult runEarly(const PlacedEarly &early);
  mlir::LogicalResult write(const Slot &slot, const PlacedKernel &kernel, Versions &own);
  mlir::LogicalResult addItself(const Slot &slot, const PlacedKernel &kernel, const Versions &own);
  mlir::LogicalResult add(const Slot &slot, const PlacedSum &sum, const Versions &own,
                          mlir::Operation *op);
  mlir::LogicalResult endSlot(const Slot &slot, const Versions &own);
  mlir::LogicalResult checkShown(const Slot &slot, const Versions &own);
  mlir::LogicalResult checkReduced(const Slot &slot);
  mlir::LogicalResult expectReduced(const Slot &slot, const ByteSpan &span, uint32_t made,
                                    const facts::EarlyReduction &reduction);
  uint32_t findReduced(mlir::Value result, uint32_t from) const;
  const facts::EarlyReduction *reductionOf(graph::RoleAttr role) const;
  mlir::LogicalResult setParameters(const Slot &slot, const Versions &own);
  mlir::LogicalResult checkSums(const Slot &slot);
  mlir::LogicalResult checkParameters(mlir::Operation *end);

  uint32_t make(mlir::Value value, int64_t number, uint32_t reducedFrom = 0);
  void publish(const Slot &slot, unsigned value, uint32_t version);
  mlir::LogicalResult expect(mlir::Operation *reader, const Slot &slot, const ByteSpan &span,
                             uint32_t version);
  mlir::LogicalResult expectValue(mlir::Operation *reader, const Slot &slot, unsigned value,
                                  const Versions &own);
  void describe(mlir::Diagnostic &diagnostic, uint32_t version) const;
  const PlacedValue &valueAt(const Slot &slot, unsigned value) const {
    return placed.sections[slot.section].values[value];
  }

  const PlacedSections &placed;
  const facts::EarlyReductions &reductions;
  pipe::StepOp step;
  HeldBytes bytes;
  std::vector<Version> versions;
  std::vector<Sum> sums;
  /// What sections have left: by role, and number where it is of a microbatch.
  llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, uint32_t> left;
  llvm::DenseMap<mlir::Attribute, uint32_t> kept; ///< parameters, states, the step's number
  llvm::DenseMap<unsigned, Versions> begun;       ///< of sections of which kernels have run early
};

} // namespace pcc::schedule
