// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists all instructions of a program, and its episodes: a step, and the sections that run on their
// own (evaluation runs `forward`; the first step begins with `start_training`).

#ifndef PCC_RUNTIME_CHECK_PROGRAMINDEX_H
#define PCC_RUNTIME_CHECK_PROGRAMINDEX_H

#include "runtime/abi/program.pb.h"

#include <string>
#include <vector>

namespace pcc::check {

inline bool isMessage(const abi::Record &record) {
  return record.has_collective() &&
         (record.collective().kind() == abi::SEND || record.collective().kind() == abi::RECV);
}

/// The instructions of all sections, concatenated.
class ProgramIndex {
public:
  ProgramIndex(const abi::Executable &executable, int number);

  const abi::Executable &executable;
  const abi::Program &program;
  const int number;

  std::vector<const abi::Record *> records;
  /// Returns the episode of the instruction: `step`, or a section that runs on its own.
  std::string episodeOf(uint32_t record) const;
  /// Returns the section of the instruction.
  uint32_t sectionOf(uint32_t record) const;

  /// By section: position of its first instruction in `records`; one more entry for the end.
  std::vector<uint32_t> firstOf;
  /// By instruction: its own position. For a message in a section that replaces the last run of
  /// another section: the position of the message there that it continues.
  std::vector<uint32_t> messageOf;
  /// By instruction: its clock (HappensBefore.h). Clock 0 for COMPUTE instructions that are no
  /// messages, else a clock of its own. A message shares its clock with its continuation.
  std::vector<uint32_t> clockOf;
  uint32_t clocks = 1;

private:
  uint32_t findMessage(uint32_t section, const abi::Record &record) const;
};

/// The actions of all programs that run together.
struct Episode {
  /// "step", or the name of a section.
  std::string name;
  bool isStep = false;
  /// By program.
  std::vector<std::vector<abi::Slot>> slots = {};
};

std::vector<ProgramIndex> indexPrograms(const abi::Executable &executable);

/// Lists the episodes: the step, if there are actions, then every section that runs on its own.
std::vector<Episode> listEpisodes(const abi::Executable &executable);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_PROGRAMINDEX_H
