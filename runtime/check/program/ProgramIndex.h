// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists all instructions of a program, and its executions. An execution runs as one unit: the
// actions of a step, or one section that runs on its own. Evaluation runs `forward`; the first step
// begins with `start_training`.

#pragma once

#include "runtime/abi/program.pb.h"

#include <string>
#include <vector>

namespace pcc::check {

inline bool isMessage(const abi::Instruction &instruction) {
  return instruction.has_collective() && (instruction.collective().kind() == abi::SEND ||
                                          instruction.collective().kind() == abi::RECV);
}

/// The instructions of all sections, concatenated.
class ProgramIndex {
public:
  ProgramIndex(const abi::Executable &executable, int number);

  const abi::Executable &executable;
  const abi::Program &program;
  const int number;

  std::vector<const abi::Instruction *> instructions;
  /// Returns the execution of the instruction: `step`, or a section that runs on its own.
  std::string executionOf(uint32_t instruction) const;
  /// Returns the section of the instruction.
  uint32_t sectionOf(uint32_t instruction) const;

  /// By section: position of its first instruction in `instructions`; one more entry for the end.
  std::vector<uint32_t> firstOf;
  /// By instruction: its own position. For a message in a section that replaces the last run of
  /// another section: the position of the message there that it continues.
  std::vector<uint32_t> messageOf;
  /// By instruction: its clock (HappensBefore.h). Clock 0 for COMPUTE instructions that are no
  /// messages, else a clock of its own. A message shares its clock with its continuation.
  std::vector<uint32_t> clockOf;
  uint32_t clocks = 1;

private:
  uint32_t findContinued(uint32_t section, const abi::Instruction &instruction) const;
};

/// The actions of all programs that run together.
struct Execution {
  /// "step", or the name of a section.
  std::string name;
  bool isStep = false;
  /// By program.
  std::vector<std::vector<abi::Action>> actions = {};
};

std::vector<ProgramIndex> indexPrograms(const abi::Executable &executable);

/// Lists the executions: the step, if there are actions, then every section that runs on its own.
std::vector<Execution> listExecutions(const abi::Executable &executable);

} // namespace pcc::check
