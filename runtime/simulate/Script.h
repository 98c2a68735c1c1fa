// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program prepared for the virtual clock: the relevant facts of its instructions, in flat lists.

#ifndef PCC_RUNTIME_SIMULATE_SCRIPT_H
#define PCC_RUNTIME_SIMULATE_SCRIPT_H

#include "runtime/abi/cluster.pb.h"
#include "runtime/check/ProgramIndex.h"

#include <cstdint>
#include <vector>

namespace pcc::simulate {

/// A wait for an event, with a distance as in Record.behind.
struct Wait {
  uint32_t event = 0, behind = 0;
};

/// An instruction with its costs.
struct Action {
  abi::Lane lane = abi::COMPUTE;
  abi::CollectiveKind kind = abi::COLLECTIVE_KIND_UNSPECIFIED; ///< communication only
  /// Whether this message on COMPUTE begins together with the instruction before it
  /// (check::Neighbours).
  bool joins = false;
  /// Counter of its rendezvous: the first instruction of its group; for a message, `message`.
  uint32_t counter = 0;
  /// ProgramIndex::messageOf of the instruction.
  uint32_t message = 0;
  /// Seconds of an instruction without communication, in its section's first slot of a step and in
  /// later ones.
  double first = 0, later = 0;
  std::vector<Wait> waits = {};
  std::vector<uint32_t> signals = {};

  bool meets() const { return kind != abi::COLLECTIVE_KIND_UNSPECIFIED; }
  bool isMessage() const { return kind == abi::SEND || kind == abi::RECV; }
};

struct Script {
  /// In the order of ProgramIndex::records; `firstOf` as there.
  std::vector<Action> actions = {};
  std::vector<uint32_t> firstOf;
  /// By event: whether some instruction waits for its run of a certain number.
  std::vector<bool> isNumbered;
  std::vector<abi::Slot> slots;
  /// By slot: its ring index.
  std::vector<uint64_t> numbers = {};

  /// Returns the number of instructions that run in all slots.
  size_t countRuns() const;
};

/// Prepares the instructions of a program in the slots of an episode, with costs on a complete
/// device.
Script makeScript(const check::ProgramIndex &index, const std::vector<abi::Slot> &slots,
                  const abi::DeviceFigures &device);

/// Calls `visit(run, slot, record, isFirst)` for every instruction of every slot, in list order.
/// `run` counts the instructions from 0, and `slot` the slots. `isFirst` says whether the section
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
