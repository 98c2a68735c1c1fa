// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/ProgramIndex.h"

#include <algorithm>

namespace pcc::check {

ProgramIndex::ProgramIndex(const abi::Executable &executable, int number)
    : executable(executable), program(executable.programs(number)), number(number) {
  for (const abi::Section &section : program.sections()) {
    firstOf.push_back(uint32_t(records.size()));
    for (const abi::Record &record : section.records())
      records.push_back(&record);
  }
  firstOf.push_back(uint32_t(records.size()));
  clockOf.resize(records.size(), 0);
  for (uint32_t r = 0; r < records.size(); ++r) {
    uint32_t last = program.sections(int(sectionOf(r))).last_of();
    messageOf.push_back(last > 0 && isMessage(*records[r]) ? findMessage(last - 1, *records[r])
                                                           : r);
  }
  for (uint32_t r = 0; r < records.size(); ++r)
    if (messageOf[r] == r && (records[r]->lane() != abi::COMPUTE || isMessage(*records[r])))
      clockOf[r] = clocks++;
  for (uint32_t r = 0; r < records.size(); ++r)
    clockOf[r] = clockOf[messageOf[r]];
}

/// Returns the message of `section` that `record` of another section continues; `record` itself if
/// there is none.
uint32_t ProgramIndex::findMessage(uint32_t section, const abi::Record &record) const {
  auto isSame = [&](const abi::Record *other) {
    const abi::Collective &a = record.collective(), &b = other->collective();
    return isMessage(*other) && a.kind() == b.kind() && a.tag() == b.tag() &&
           other->lane() == record.lane() &&
           a.peer().SerializeAsString() == b.peer().SerializeAsString();
  };
  auto first = records.begin() + firstOf[section], end = records.begin() + firstOf[section + 1];
  auto found = std::find_if(first, end, isSame);
  if (found == end)
    found = std::find(records.begin(), records.end(), &record);
  return uint32_t(found - records.begin());
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

/// Lists sections that no action runs, and `forward`, which evaluation runs.
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
