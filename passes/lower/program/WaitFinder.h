// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the waits between instructions of different streams, one run after the other.
//
//   run                          bytes     waits for
//   0  COMPUTE        writes     0..64
//   1  COMMUNICATION  updates    0..64     run 0, the last one of COMPUTE
//   2  COMMUNICATION  reads      0..64     run 1
//   3  COMPUTE        writes     0..64     run 2, which has waited for run 1
//
// Two runs conflict if they touch the same bytes and one of them writes. A run waits for
// conflicting earlier runs of COMMUNICATION and TRANSFER, the latest first. A wait for a run covers
// everything for which that run has waited, and earlier runs of its entry. The rest of the rule is
// in EventAssigner.cpp.
#pragma once

#include "passes/lower/program/Program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace pcc::lower {

/// The part of a program that waits and is waited for as a whole: an instruction, or a fused
/// collective.
struct WaitingEntry {
  task::StreamKind stream = task::StreamKind::Compute;
  llvm::SmallVector<InstructionAccess> accesses;
  /// Entries that this one waits for although they do not conflict.
  llvm::SmallVector<unsigned> ends = {};
  bool repeats = true; ///< may run several times in a step
};

/// Wait of one entry for another, over all runs.
struct Wait {
  bool isUniform = true;
  bool isLast = true;   ///< it was the last run of the other entry each time
  int64_t distance = 0; ///< difference of the runs' numbers
};

/// Waits by waiting entry and awaited entry, in the order in which they were found.
using Waits = llvm::MapVector<std::pair<unsigned, unsigned>, Wait>;

/// Keeps, for each range of bytes, the runs for which later ones may have to wait. So each run
/// looks at the latest runs on its bytes alone, and not at all entries of the program.
class WaitFinder {
public:
  explicit WaitFinder(llvm::ArrayRef<WaitingEntry> entries);

  /// Runs an entry after all others so far. `number` is its index into rings.
  void run(unsigned entry, int64_t number);
  /// Forgets all runs, but not the waits found.
  void restart();
  const Waits &getWaits() const { return waits; }
  /// Returns the number of runs and byte ranges that were looked at.
  int64_t getSteps() const { return steps; }

private:
  struct Query;

  /// Runs on a range of bytes, ascending, for which later runs may have to wait.
  struct History {
    llvm::SmallVector<int64_t, 2> writes, reads;
    size_t compactAt = 16; ///< number of runs at which those no longer needed are removed
  };

  /// Runs on a range of bytes without gaps. Its first byte is its key in `Cells`.
  struct Cell {
    int64_t end = 0;
    History open;                                    ///< runs for which COMPUTE has not waited
    History all;                                     ///< for transfers, which begin without COMPUTE
    int64_t lastCompute = -1, lastComputeWrite = -1; ///< runs
  };
  using Cells = std::map<int64_t, Cell>;

  /// One execution of an entry.
  struct Run {
    unsigned entry = 0;
    int64_t index = 0;  ///< number of earlier runs of the entry
    int64_t number = 0; ///< index into rings
    llvm::SmallVector<int64_t, 2> awaited = {};
    bool isDone = false; ///< COMPUTE has waited for it
  };

  bool isDone(int64_t run) const { return runs[run].index < done[runs[run].entry]; }
  std::pair<Cells::iterator, Cells::iterator> cellsOf(const ByteRange &range, int64_t number);
  static Cells::iterator splitAt(Cells &cells, int64_t at);
  void wait(const Run &run, int64_t awaited);
  void markDone(int64_t run);
  void findCompute(const Run &run);
  void record(const Query &query, int64_t order);
  bool recordIn(Cell &cell, const Query &query, bool writes, int64_t order);
  void compact(History &history, bool dropsDone) const;
  void compact(llvm::SmallVectorImpl<int64_t> &list, bool dropsDone) const;

  llvm::ArrayRef<WaitingEntry> entries;
  bool hasTransfers;
  std::vector<Run> runs;                             ///< in their order
  std::vector<llvm::SmallVector<int64_t, 1>> runsOf; ///< by entry
  std::vector<int64_t> done;           ///< by entry: number of runs for which COMPUTE has waited
  std::optional<unsigned> lastCompute; ///< entry
  std::map<task::Space, Cells> spaces;
  Waits waits;
  int64_t steps = 0;
};

} // namespace pcc::lower
