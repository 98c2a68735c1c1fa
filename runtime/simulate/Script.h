// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program made ready for the virtual clock: what of its records counts there, in flat lists.

#ifndef PCC_RUNTIME_SIMULATE_SCRIPT_H
#define PCC_RUNTIME_SIMULATE_SCRIPT_H

#include "runtime/abi/cluster.pb.h"
#include "runtime/check/ProgramIndex.h"

#include <cstdint>
#include <vector>

namespace pcc::simulate {

/// A record waits for an event, with a distance as in Record.behind.
struct Wait {
  uint32_t event = 0, behind = 0;
};

/// A record.
struct Action {
  abi::Lane lane = abi::COMPUTE;
  abi::CollectiveKind kind = abi::COLLECTIVE_KIND_UNSPECIFIED; ///< of what meets others
  /// A message on COMPUTE that begins together with the record before it (check::Neighbours).
  bool joins = false;
  /// What its meetings are counted by: the first record of its group, or of a message `message`.
  uint32_t counter = 0;
  /// As ProgramIndex::messageOf.
  uint32_t message = 0;
  /// Seconds of what meets nobody, in its section's first slot of a step and in others.
  double first = 0, later = 0;
  std::vector<Wait> waits = {};
  std::vector<uint32_t> signals = {};

  bool meets() const { return kind != abi::COLLECTIVE_KIND_UNSPECIFIED; }
  bool isMessage() const { return kind == abi::SEND || kind == abi::RECV; }
};

struct Script {
  /// As ProgramIndex::records and firstOf.
  std::vector<Action> actions = {};
  std::vector<uint32_t> firstOf;
  /// By event: whether somebody waits for its run of a certain number.
  std::vector<bool> isNumbered;
  std::vector<abi::Slot> slots;
  /// By slot: its number, by which rings turn.
  std::vector<uint64_t> numbers = {};

  /// How many records run in all slots.
  size_t countRuns() const;
};

/// The records of a program in the slots of an episode, priced on a complete device.
Script makeScript(const check::ProgramIndex &index, const std::vector<abi::Slot> &slots,
                  const abi::DeviceFigures &device);

/// Calls `visit(run, slot, record, isFirst)` for every record of every slot, in the order of the
/// list: `run` counts them from 0, `slot` is the slot's number, `isFirst` says whether its section
/// runs for the first time.
template <typename Visit> void forEachRun(const Script &script, Visit visit) {
  std::vector<bool> seen(script.firstOf.size(), false);
  size_t run = 0;
  for (size_t slot = 0; slot < script.slots.size(); ++slot) {
    uint32_t section = script.slots[slot].section();
    for (uint32_t record = script.firstOf[section]; record < script.firstOf[section + 1]; ++record)
      visit(run++, slot, record, !seen[section]);
    seen[section] = true;
  }
}

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_SCRIPT_H
