// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of a program in one list, and what of it runs: a step, and the sections that run on
// their own (evaluation runs `forward`, the first step begins with `start_training`).

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

/// The records of all sections, one behind the other.
class ProgramIndex {
public:
  ProgramIndex(const abi::Executable &executable, int number);

  const abi::Executable &executable;
  const abi::Program &program;
  const int number;

  std::vector<const abi::Record *> records;
  /// What runs the record: `step`, or a section that runs on its own.
  std::string episodeOf(uint32_t record) const;
  /// The section of the record.
  uint32_t sectionOf(uint32_t record) const;

  /// By section: the place of its first record in `records`; one more entry for the end.
  std::vector<uint32_t> firstOf;
  /// By record: itself, or of a message in a section that stands for the last run of another the
  /// message there that it goes on with.
  std::vector<uint32_t> messageOf;
  /// By record: its clock (HappensBefore.h): 0 for those of COMPUTE that are no messages, else one
  /// of its own, which a message shares with those that go on with it.
  std::vector<uint32_t> clockOf;
  uint32_t clocks = 1;

private:
  uint32_t findMessage(uint32_t section, const abi::Record &record) const;
};

/// Slots of all programs that run together.
struct Episode {
  /// "step", or the name of a section.
  std::string name;
  bool isStep = false;
  /// By program.
  std::vector<std::vector<abi::Slot>> slots = {};
};

std::vector<ProgramIndex> indexPrograms(const abi::Executable &executable);

/// The step, if there are slots, then every section that runs on its own.
std::vector<Episode> listEpisodes(const abi::Executable &executable);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_PROGRAMINDEX_H
