// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the buffers of a timeline: the live range of each value in memory, and the buffers that
// overwrite others.
//
//   time          0       1       2     3        4     5
//   @forward      a       b = a   end
//   @backward                           c = b    d     end
//   argument a    0 ------ 1
//   saved b               1 ----------- 3                      read as an argument of @backward
#pragma once

#include "passes/schedule/memory/FixedPlaces.h"
#include "passes/schedule/memory/Rings.h"
#include "passes/schedule/memory/Values.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

// Layout of a timeline's buffers among the temporaries.
//
//   bytes ^  +------------------------- a message's ring ---------------------------+
//         |  +- buffers that fit no gap ----+  +- the update, over the frames ------+
//         |  +-- entry 1 of the frames -----------------+
//         |  +-- entry 0 -----------+-------------------+
//         |  |      saved a         |                   |
//         |  | gap  +------ b ------+------+  gap       |
//         |  +------+------ c --------------------+-----+
//         +-----forward---------------backward-------------update---------------> time
//
// A frame holds the residuals that one section saves for another. Before a microbatch has produced
// all of its residuals, and after it has read some of them for the last time, the frame has gaps.
// Other values of the same microbatch and copy use these gaps. Buffers that fit no gap are packed
// beside the rings, once for all actions. Buffers that are live while no frame is in use are packed
// in the same way.

/// Times of a section: one per kernel from `start`, then `end`, when it returns.
struct SectionTimes {
  int64_t start = 0, end = 0;
};

/// Bytes of temporaries.
struct LayoutBytes {
  int64_t peak = 0; ///< bytes that the layout needs
  /// Lower bound: the most that is live at once by the actions of the step, plus all message rings.
  int64_t bound = 0;
  int64_t rings = 0; ///< bytes of frames and messages
  int64_t depth = 0; ///< largest depth of a ring
};

class Layout {
public:
  /// `rings` belong to the step whose sections take `times`; null for a section outside the step.
  Layout(Values &values, const Rings *rings, llvm::ArrayRef<SectionTimes> times,
         mlir::MLIRContext *context);

  /// Assigns a place to each buffer without one.
  LayoutBytes place();

private:
  /// Buffers in each entry of one frame ring.
  struct Frame {
    unsigned number = 0; ///< index in Rings::getFrames
    llvm::SmallVector<Buffer *> buffers;
    solve::PackProblem items;
    solve::PackSolution offsets;
    int64_t bytes = 0; ///< bytes of one entry
  };

  void addFrame(unsigned number);
  bool fillGap(Buffer *buffer);
  void pack();
  void setPlaces(const Frame &frame, int64_t offset);
  SectionTimes usedTimes(const FrameRing &ring) const;
  int64_t boundOf(unsigned section) const;
  int64_t waitingBytes(int64_t action) const;
  int64_t findBound() const;

  Values &values;
  const Rings *rings;
  llvm::ArrayRef<SectionTimes> times;
  mlir::MLIRContext *context;
  llvm::SmallVector<Frame> frames;
  llvm::SmallVector<Buffer *> unringed; ///< buffers in no ring
  LayoutBytes bytes;
};

/// Live ranges of one timeline.
class LiveRanges {
public:
  /// Takes sections that run one after the other: those of the step, or one outside the step
  /// without `rings`. All arguments must outlive this object.
  LiveRanges(mlir::ModuleOp module, llvm::MutableArrayRef<analysis::Section> sections,
             const FixedPlaces &fixed, const Rings *rings);

  /// Computes the live ranges. Fails with a diagnostic if an argument has no source.
  mlir::LogicalResult run();

  Values &getValues() { return values; }
  /// Times of the sections.
  llvm::ArrayRef<SectionTimes> getTimes() const { return times; }

private:
  mlir::LogicalResult addSection(unsigned index);
  mlir::LogicalResult bindArgument(analysis::Section &section, unsigned argument);
  void addKernel(unsigned index, const analysis::Kernel &kernel);
  Buffer bufferOf(mlir::Value output, int64_t first, int64_t last) const;
  void extendOverCommunication(const analysis::Kernel &kernel);
  void extendToHoisted(const analysis::Kernel &kernel);
  void extendToReaders(graph::RoleAttr role);

  mlir::ModuleOp module;
  llvm::MutableArrayRef<analysis::Section> sections;
  const FixedPlaces &fixed;
  const Rings *rings;
  Values values;
  llvm::SmallVector<SectionTimes> times;                    ///< by section
  llvm::StringMap<int64_t> startOf;                         ///< by name
  SectionTimes now;                                         ///< times of the current section
  llvm::DenseMap<mlir::Attribute, mlir::Value> valueOfRole; ///< results of earlier sections
  /// Arguments by role, each with the number of its section.
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<std::pair<unsigned, mlir::BlockArgument>, 2>>
      readersOfRole;
};

} // namespace pcc::schedule
