// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/program/ProgramRanks.h"
#include "test/unit/check/Interpreter.h"

#include <map>
#include <set>

namespace pcc::test {

bool launchesFit(const abi::Executable &executable) {
  using Launch = std::vector<int64_t>; // group, first rank of the list, sequence number
  std::map<Launch, std::set<Launch>> after;
  std::map<Launch, int> before;
  for (int64_t rank = 0; rank < abi::rankCount(executable.mesh()); ++rank) {
    const abi::Program &program = executable.programs(abi::programOfRank(executable, rank));
    std::map<Launch, int64_t> counts;
    Launch last;
    for (const abi::Action &action : program.actions())
      for (const abi::Instruction &instruction :
           program.sections(int(action.section())).instructions()) {
        if (!instruction.has_collective() || instruction.collective().kind() == abi::SEND ||
            instruction.collective().kind() == abi::RECV)
          continue;
        int64_t group = instruction.collective().group();
        Launch launch = {group, abi::groupOf(executable.groups(int(group)), rank).ranks(0)};
        launch.push_back(counts[launch]++);
        before.try_emplace(launch, 0);
        if (!last.empty() && after[last].insert(launch).second)
          ++before[launch];
        last = launch;
      }
  }
  std::vector<Launch> free;
  for (const auto &[launch, count] : before)
    if (count == 0)
      free.push_back(launch);
  size_t placed = 0;
  for (; !free.empty(); ++placed) {
    Launch launch = free.back();
    free.pop_back();
    for (const Launch &next : after[launch])
      if (--before[next] == 0)
        free.push_back(next);
  }
  return placed == before.size();
}

} // namespace pcc::test
