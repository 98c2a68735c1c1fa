// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares ranks by planned bytes, and names the largest values at the peak, which LiveMemory.cpp
// sorted.

#include "runtime/simulate/Peak.h"
#include "runtime/check/program/Names.h"

#include <algorithm>
#include <fmt/format.h>

namespace pcc::simulate {

/// Maximum number of tensors that describePeak names.
static constexpr size_t maxNamed = 3;

const Timeline &findPeakTimeline(const Simulation &simulation) {
  return *std::max_element(
      simulation.timelines.begin(), simulation.timelines.end(),
      [](const Timeline &a, const Timeline &b) { return a.memory.planned < b.memory.planned; });
}

std::string nameOf(const abi::Executable &executable, const abi::Program &program,
                   const abi::Action &action) {
  const std::string &name = program.sections(int(action.section())).name();
  const auto &batch = executable.batch();
  if (batch.micro_batches() * batch.copies() <= 1)
    return name;
  if (batch.copies() > 1 && !batch.together())
    return fmt::format("{}[{},{}]", name, action.microbatch(), action.copy());
  return fmt::format("{}[{}]", name, action.microbatch());
}

const abi::Instruction &instructionOf(const abi::Program &program, const LiveTensor &tensor) {
  return program.sections(int(tensor.section)).instructions(int(tensor.instruction));
}

std::string describePeak(const abi::Executable &executable, const Simulation &simulation,
                         const Timeline &timeline) {
  const abi::Program &program = executable.programs(timeline.program);
  const std::vector<LiveTensor> &tensors = timeline.memory.atPeak;
  std::string text;
  for (size_t i = 0; i < std::min(tensors.size(), maxNamed); ++i) {
    const abi::Action &action = simulation.actions[timeline.program][tensors[i].action];
    text += fmt::format("{}{} of {} ({:.3f} MB)", i == 0 ? "" : ", ",
                        check::nameOf(instructionOf(program, tensors[i])),
                        nameOf(executable, program, action), double(tensors[i].bytes) / 1e6);
  }
  return text;
}

} // namespace pcc::simulate
