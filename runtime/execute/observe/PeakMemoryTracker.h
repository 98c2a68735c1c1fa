// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the peak of live bytes in a rank's memory while a step runs. It notes when instructions
// begin and when the rank's thread knows that they are done, in the order of these events. The byte
// ranges come from the instructions' operands.

#pragma once

#include "runtime/check/ProgramIndex.h"
#include "runtime/simulate/FlatProgram.h"
#include "runtime/simulate/Timeline.h"

#include <span>
#include <unordered_map>

namespace pcc::runtime {

class PeakMemoryTracker {
public:
  /// Watches program `number` of the executable for one step. The executable must outlive the
  /// watch.
  PeakMemoryTracker(const abi::Executable &executable, int number);

  using Instructions = std::span<const abi::Instruction *const>;

  /// Notes that instructions begin together, or are done, in the action with ring index `action`
  /// (abi::ringIndex).
  void begin(Instructions instructions, uint64_t action);
  void end(Instructions instructions, uint64_t action);

  /// Returns the greatest number of bytes live at once. Permanently held bytes always count.
  /// TEMPORARY bytes count from the start of the instruction that wrote them to the end of the last
  /// one that read them.
  uint64_t peakLive() const;

private:
  simulate::Span &spanOf(const abi::Instruction &instruction, uint64_t action);

  check::ProgramIndex index;
  simulate::FlatProgram flatProgram;
  std::unordered_map<const abi::Instruction *, uint32_t> places;
  /// By section and ring index of an action: its first run.
  std::vector<std::unordered_map<uint64_t, size_t>> firstRun;
  std::vector<simulate::Span> spans;
  double turn = 0;
};

} // namespace pcc::runtime
