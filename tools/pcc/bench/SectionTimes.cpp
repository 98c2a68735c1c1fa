// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each COMPUTE instruction is charged with the time since the previous one ended. The gap before it
// is exposed communication, and so is a collective itself. Ranks with equal timelines are simulated
// once and weighted by their number.
#include "tools/pcc/bench/StepTimes.h"

#include "runtime/abi/program/RankExpression.h"

#include <algorithm>

namespace pcc::cli {

SectionTime &SectionTime::operator+=(const SectionTime &other) {
  seconds += other.seconds;
  exposed += other.exposed;
  return *this;
}

SectionTime StepTime::sum() const {
  SectionTime all;
  for (const SectionTime &section : sections)
    all += section;
  return all;
}

SectionTime &StepTime::operator[](const std::string &name) {
  size_t index = size_t(std::ranges::find(names, name) - names.begin());
  if (index == names.size()) {
    names.push_back(name);
    sections.emplace_back();
  }
  return sections[index];
}

StepTime &StepTime::operator+=(const StepTime &other) {
  for (size_t i = 0; i < other.names.size(); ++i)
    (*this)[other.names[i]] += other.sections[i];
  return *this;
}

StepTime StepTime::operator/(double count) const {
  StepTime result = *this;
  for (SectionTime &section : result.sections)
    section = section / count;
  return result;
}

void SectionClock::add(const abi::Instruction &instruction, const std::string &section,
                       double begin, double end) {
  latest = std::max(latest, end);
  if (instruction.stream() != abi::COMPUTE)
    return;
  last = section;
  SectionTime &time = step[section];
  time.seconds += end - clock;
  time.exposed += instruction.has_collective() ? end - clock : begin - clock;
  clock = end;
}

StepTime SectionClock::finish() {
  if (latest > clock)
    step[last] += {latest - clock, latest - clock};
  return std::move(step);
}

StepTime timeSections(const abi::Executable &executable, const simulate::Simulation &simulation) {
  StepTime sum;
  for (const simulate::Timeline &timeline : simulation.timelines) {
    const abi::Program &program = executable.programs(timeline.program);
    SectionClock clock(0);
    size_t run = 0;
    for (const abi::Action &action : simulation.actions[timeline.program]) {
      const abi::Section &section = program.sections(int(action.section()));
      for (const abi::Instruction &instruction : section.instructions())
        if (const simulate::Span &span = timeline.spans[run++]; span.hasTime())
          clock.add(instruction, section.name(), span.begin, span.end);
    }
    StepTime own = clock.finish();
    for (size_t copies = timeline.ranks.size(); copies > 0; --copies)
      sum += own;
  }
  return sum / double(abi::rankCount(executable.mesh()));
}

} // namespace pcc::cli
