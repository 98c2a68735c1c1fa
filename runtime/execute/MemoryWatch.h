// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes of a rank's memory are live at most while a step runs, measured: it notes when
// records are begun and when the rank's thread knows that they are done, in the order in which that
// happens. Their bytes come from what they read and write.

#ifndef PCC_RUNTIME_EXECUTE_MEMORYWATCH_H
#define PCC_RUNTIME_EXECUTE_MEMORYWATCH_H

#include "runtime/check/ProgramIndex.h"
#include "runtime/simulate/Script.h"
#include "runtime/simulate/Timeline.h"

#include <span>
#include <unordered_map>

namespace pcc::runtime {

class MemoryWatch {
public:
  /// Watches program `number` of the executable, which must outlive it, for one step.
  MemoryWatch(const abi::Executable &executable, int number);

  using Records = std::span<const abi::Record *const>;

  /// Records of the step begin together, or are done, in the slot of that number (abi::ringIndex).
  void begin(Records records, uint64_t slot);
  void end(Records records, uint64_t slot);

  /// The most bytes that were live at once: those that are held all the time, and TEMPORARY ones
  /// from the begin of the record that wrote them to the end of the last that read them.
  uint64_t peakLive() const;

private:
  simulate::Span &spanOf(const abi::Record &record, uint64_t slot);

  check::ProgramIndex index;
  simulate::Script script;
  std::unordered_map<const abi::Record *, uint32_t> places;
  /// By section and number of a slot: its first run.
  std::vector<std::unordered_map<uint64_t, size_t>> firstRun;
  std::vector<simulate::Span> spans;
  double turn = 0;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_MEMORYWATCH_H
