// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the spans of each timeline in list order, in microseconds, and the live bytes as a
// counter. Spans without length are omitted.

#include "runtime/abi/files/ChromeTrace.h"
#include "runtime/simulate/Simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pcc::simulate {
namespace {

constexpr double microseconds = 1e6; ///< per second
constexpr size_t maxListed = 4;      ///< maximum number of listed ranks that are not consecutive

void addTimeline(const abi::Executable &executable, const Simulation &simulation,
                 const Timeline &timeline, int64_t rank, abi::ChromeTrace &trace) {
  const abi::Program &program = executable.programs(timeline.program);
  size_t run = 0;
  for (const abi::Action &action : simulation.actions[timeline.program])
    for (const abi::Instruction &instruction :
         program.sections(int(action.section())).instructions()) {
      const Span &span = timeline.spans[run++];
      if (span.length() > 0)
        trace.addInstruction(rank, instruction, /*step=*/0, span.begin * microseconds,
                             span.length() * microseconds);
    }
  for (const LiveBytes &level : timeline.memory.live)
    trace.addCounter(rank, "live bytes", level.begin * microseconds,
                     timeline.memory.held + level.bytes);
}

} // namespace

std::string nameOfRanks(const Timeline &timeline) {
  const std::vector<int64_t> &ranks = timeline.ranks;
  if (ranks.size() == 1)
    return fmt::format("rank {}", ranks.front());
  if (ranks.back() - ranks.front() + 1 == int64_t(ranks.size()))
    return fmt::format("ranks {}-{}", ranks.front(), ranks.back());
  if (ranks.size() <= maxListed)
    return fmt::format("ranks {}", fmt::join(ranks, ", "));
  return fmt::format("rank {} and {} more", ranks.front(), ranks.size() - 1);
}

abi::Status writeTrace(const abi::Executable &executable, const Simulation &simulation,
                       const std::string &path, bool everyRank) {
  abi::Expected<abi::ChromeTrace> trace = abi::ChromeTrace::create(path);
  if (!trace)
    return trace.status();
  for (const Timeline &timeline : simulation.timelines) {
    if (!everyRank) {
      trace->addRank(timeline.ranks.front(), nameOfRanks(timeline));
      addTimeline(executable, simulation, timeline, timeline.ranks.front(), *trace);
      continue;
    }
    for (int64_t rank : timeline.ranks) {
      trace->addRank(rank, fmt::format("rank {}", rank));
      addTimeline(executable, simulation, timeline, rank, *trace);
    }
  }
  return trace->finish();
}

} // namespace pcc::simulate
