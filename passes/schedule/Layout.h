// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the buffers of a timeline lie among the temporaries.
//
//   bytes ^  +------------------------- a message's ring ---------------------------+
//         |  +- what does not fit into gaps -+  +- the update, over the frames -----+
//         |  +-- copy 1 of the frames ------------------+
//         |  +-- copy 0 ------------+-------------------+
//         |  |      saved a         |                   |
//         |  | gap  +------ b ------+------+  gap       |
//         |  +------+------ c --------------------+-----+
//         +-----forward---------------backward-------------update---------------> time
//
// A frame is as large as what it saves from the one section to the other. While a microbatch has
// not yet made all of that, or has read some of it for the last time, other values of the same
// microbatch and copy lie in the gaps. What finds no gap is packed beside the rings, once for all
// slots; and so is what is live while no frame is in use.
#pragma once

#include "passes/schedule/Rings.h"
#include "passes/schedule/Values.h"

namespace pcc::schedule {

/// The times of a section: those of its kernels, then `end`, when it returns.
struct SectionTimes {
  int64_t start = 0, end = 0;
};

/// Bytes of temporaries.
struct LayoutBytes {
  int64_t peak = 0; ///< what they need
  /// The most that is live at once by the slots of the step, and all of the messages' rings.
  int64_t bound = 0;
  int64_t rings = 0;  ///< of frames and messages
  int64_t copies = 0; ///< the most that a ring has
};

class Layout {
public:
  /// `rings` of the step whose sections take `times`; null for a section outside.
  Layout(Values &values, const Rings *rings, llvm::ArrayRef<SectionTimes> times,
         mlir::MLIRContext *context);

  /// Gives each buffer without a place one.
  LayoutBytes place();

private:
  /// What lies in the copies of one ring of frames.
  struct Frame {
    unsigned number = 0; ///< in Rings::getFrames
    llvm::SmallVector<Buffer *> buffers;
    solve::PackProblem items;
    solve::PackSolution offsets;
    int64_t bytes = 0; ///< of one copy
  };

  void addFrame(unsigned number);
  bool fillGap(Buffer *buffer);
  void pack();
  void setPlaces(const Frame &frame, int64_t offset);
  SectionTimes usedTimes(const FrameRing &ring) const;
  int64_t boundOf(unsigned section) const;
  int64_t waitingBytes(int64_t slot) const;
  int64_t findBound() const;

  Values &values;
  const Rings *rings;
  llvm::ArrayRef<SectionTimes> times;
  mlir::MLIRContext *context;
  llvm::SmallVector<Frame> frames;
  llvm::SmallVector<Buffer *> loose; ///< what lies in no ring
  LayoutBytes bytes;
};

} // namespace pcc::schedule
