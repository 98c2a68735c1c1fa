// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/ProgramIndex.h"

#include <algorithm>

namespace pcc::check {

ProgramIndex::ProgramIndex(const abi::Executable &executable, int number)
    : executable(executable), program(executable.programs(number)), number(number) {
  for (const abi::Section &section : program.sections()) {
    firstOf.push_back(uint32_t(records.size()));
    for (const abi::Record &record : section.records()) {
      records.push_back(&record);
      bool isOwn = record.lane() != abi::COMPUTE || isMessage(record);
      clockOf.push_back(isOwn ? clocks++ : 0);
    }
  }
  firstOf.push_back(uint32_t(records.size()));
}

uint32_t ProgramIndex::sectionOf(uint32_t record) const {
  auto next = std::upper_bound(firstOf.begin(), firstOf.end(), record);
  return uint32_t(next - firstOf.begin() - 1);
}

std::string ProgramIndex::episodeOf(uint32_t record) const {
  uint32_t section = sectionOf(record);
  bool isInStep = std::any_of(program.slots().begin(), program.slots().end(),
                              [&](const abi::Slot &slot) { return slot.section() == section; });
  return isInStep ? "step" : program.sections(int(section)).name();
}

std::vector<ProgramIndex> indexPrograms(const abi::Executable &executable) {
  std::vector<ProgramIndex> programs;
  for (int p = 0; p < executable.programs_size(); ++p)
    programs.emplace_back(executable, p);
  return programs;
}

namespace {

/// Names of sections that no slot runs, and `forward`, which evaluation runs.
std::vector<std::string> sectionsOnTheirOwn(const abi::Executable &executable) {
  std::vector<std::string> names;
  for (const abi::Program &program : executable.programs()) {
    std::vector<bool> inStep(program.sections_size(), false);
    for (const abi::Slot &slot : program.slots())
      inStep[slot.section()] = true;
    for (int s = 0; s < program.sections_size(); ++s) {
      const std::string &name = program.sections(s).name();
      bool isKnown = std::find(names.begin(), names.end(), name) != names.end();
      if ((!inStep[s] || name == "forward") && !isKnown)
        names.push_back(name);
    }
  }
  return names;
}

} // namespace

std::vector<Episode> listEpisodes(const abi::Executable &executable) {
  std::vector<Episode> episodes;
  Episode step{.name = "step", .isStep = true};
  bool hasSlots = false;
  for (const abi::Program &program : executable.programs()) {
    step.slots.emplace_back(program.slots().begin(), program.slots().end());
    hasSlots |= program.slots_size() > 0;
  }
  if (hasSlots)
    episodes.push_back(std::move(step));
  for (const std::string &name : sectionsOnTheirOwn(executable)) {
    Episode episode{.name = name};
    for (const abi::Program &program : executable.programs()) {
      episode.slots.emplace_back();
      for (int s = 0; s < program.sections_size(); ++s)
        if (program.sections(s).name() == name)
          episode.slots.back().emplace_back().set_section(uint32_t(s));
    }
    episodes.push_back(std::move(episode));
  }
  return episodes;
}

} // namespace pcc::check
