// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program prepared for the virtual clock: the relevant facts of its instructions, in flat lists.

#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/check/program/ProgramIndex.h"

#include <cstdint>
#include <vector>

namespace pcc::simulate {

/// A wait for an event, with a distance as in Instruction.behind.
struct Wait {
  uint32_t event = 0, behind = 0;
};

/// An instruction with its costs.
struct FlatInstruction {
  abi::StreamKind stream = abi::COMPUTE;
  abi::CollectiveKind kind = abi::COLLECTIVE_KIND_UNSPECIFIED; ///< communication only
  /// Whether this message on COMPUTE begins together with the instruction before it
  /// (check::LaunchGrouping).
  bool joins = false;
  /// Counter of its rendezvous: the first instruction of its group; for a message, `message`.
  uint32_t counter = 0;
  /// ProgramIndex::messageOf of the instruction.
  uint32_t message = 0;
  /// Seconds of an instruction without communication, in its section's first action of a step and
  /// in later ones.
  double first = 0, later = 0;
  std::vector<Wait> waits = {};
  std::vector<uint32_t> signals = {};

  bool communicates() const { return kind != abi::COLLECTIVE_KIND_UNSPECIFIED; }
  bool isMessage() const { return kind == abi::SEND || kind == abi::RECV; }
};

struct FlatProgram {
  /// In the order of ProgramIndex::instructions; `firstOf` as there.
  std::vector<FlatInstruction> instructions = {};
  std::vector<uint32_t> firstOf;
  /// By event: whether some instruction waits for its run of a certain number.
  std::vector<bool> isNumbered;
  std::vector<abi::Action> actions;
  /// By action: its ring index.
  std::vector<uint64_t> numbers = {};

  /// Returns the number of instructions that run in all actions.
  size_t countRuns() const;
};

/// Prepares the instructions of a program in the actions of an execution, with costs on a complete
/// device.
FlatProgram makeFlatProgram(const check::ProgramIndex &index,
                            const std::vector<abi::Action> &actions,
                            const abi::DeviceFigures &device);

/// Calls `visit(run, action, instruction, isFirst)` for every instruction of every action, in list
/// order. `run` counts the instructions from 0, and `action` the actions. `isFirst` says whether
/// the section runs for the first time.
template <typename Visit> void forEachRun(const FlatProgram &flatProgram, Visit visit) {
  std::vector<bool> seen(flatProgram.firstOf.size(), false);
  size_t run = 0;
  for (size_t action = 0; action < flatProgram.actions.size(); ++action) {
    uint32_t section = flatProgram.actions[action].section();
    for (uint32_t instruction = flatProgram.firstOf[section];
         instruction < flatProgram.firstOf[section + 1]; ++instruction)
      visit(run++, action, instruction, !seen[section]);
    seen[section] = true;
  }
}

} // namespace pcc::simulate
