// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the peak of live bytes in a rank's memory while a step runs. It records the order in
// which instructions begin and in which the rank's thread learns that they are done. The byte
// ranges come from the instructions' operands. It is used only in the first step of a rank, and by
// its thread alone.

#pragma once

#include "runtime/check/program/ProgramIndex.h"
#include "runtime/simulate/FlatProgram.h"
#include "runtime/simulate/Timeline.h"

#include <span>
#include <unordered_map>

namespace pcc::runtime {

class PeakMemoryTracker {
public:
  /// Tracks program `number` of the executable for one step. The executable must outlive this.
  PeakMemoryTracker(const abi::Executable &executable, int number);

  using Instructions = std::span<const abi::Instruction *const>;

  /// Records that instructions begin together, or are done, in the action with this ring index
  /// (abi::ringIndex).
  void begin(Instructions instructions, uint64_t ringIndex);
  void end(Instructions instructions, uint64_t ringIndex);

  /// Returns the greatest number of bytes live at once. Bytes of PERSISTENT, INPUT and CONSTANT
  /// always count. TEMPORARY bytes count from the start of the instruction that wrote them to the
  /// end of the last one that read them.
  uint64_t peakLive() const;

private:
  simulate::Span &spanOf(const abi::Instruction &instruction, uint64_t ringIndex);

  check::ProgramIndex index;
  simulate::FlatProgram flatProgram;
  /// Number of an instruction among those of all sections.
  std::unordered_map<const abi::Instruction *, uint32_t> indexOf;
  /// By section and ring index of an action: the number of the run of its first instruction. Runs
  /// are numbered in the order of actions, and in an action in the order of instructions.
  std::vector<std::unordered_map<uint64_t, size_t>> firstRun;
  /// By run: the turns at which it begins and ends.
  std::vector<simulate::Span> spans;
  /// Number of the next event, a begin or an end; it serves as the time of the spans.
  double turn = 0;
};

} // namespace pcc::runtime
