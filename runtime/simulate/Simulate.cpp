// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the network of rank classes, runs the virtual clock, then tracks memory. Live bytes over
// time follow the clock; their peak follows program order, as in a run. The seconds of each rank
// add up to the step.

#include "runtime/simulate/Simulate.h"

#include "runtime/abi/program/RankExpression.h"
#include "runtime/check/program/Names.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/LiveMemory.h"
#include "runtime/simulate/VirtualClock.h"

#include <fmt/format.h>

#include <algorithm>

namespace pcc::simulate {
namespace {

abi::Status describe(const VirtualClock::Stop &stop, const RendezvousNetwork &network,
                     const std::vector<check::ProgramIndex> &programs,
                     const std::vector<FlatProgram> &flatPrograms) {
  const Node &node = network.nodes[stop.node];
  const check::ProgramIndex &index = programs[node.program];
  return abi::Status::badInput(
      fmt::format("rank {} does not get past {}: expected a program that 'pcc check' proves",
                  node.ranks.front(),
                  check::nameOf(index.program, *index.instructions[stop.instruction],
                                flatPrograms[node.program].actions[stop.action])));
}

/// Returns the device's figures, adapted to the program's use of TF32.
abi::DeviceFigures deviceOf(const abi::Executable &executable, abi::Cluster cluster) {
  if (executable.gpu_code().tf32())
    machine::roundToTf32(cluster);
  return cluster.device();
}

void trackMemories(const std::vector<check::ProgramIndex> &programs,
                   const std::vector<FlatProgram> &flatPrograms, std::vector<Timeline> &timelines) {
  for (const check::ProgramIndex &index : programs) {
    check::ByteMap bytes(index);
    for (Timeline &timeline : timelines)
      if (timeline.program == index.number) {
        const FlatProgram &flatProgram = flatPrograms[index.number];
        timeline.memory = trackMemory(index, bytes, flatProgram, timeline.spans);
        std::vector<Span> turns =
            spansInProgramOrder(index, bytes, flatProgram, timeline.ranks.front());
        Memory byTurns = trackMemory(index, bytes, flatProgram, turns);
        timeline.memory.peakLive = byTurns.peakLive;
        timeline.memory.atPeak = std::move(byTurns.atPeak);
      }
  }
}

} // namespace

const Timeline &Simulation::longest() const {
  return *std::min_element(
      timelines.begin(), timelines.end(),
      [](const Timeline &a, const Timeline &b) { return a.seconds.drain < b.seconds.drain; });
}

abi::Expected<Simulation> simulate(const abi::Executable &executable, const abi::Cluster &cluster,
                                   const Options &options) {
  abi::Status fits = machine::checkRanks(cluster, abi::rankCount(executable.mesh()));
  if (!fits.ok())
    return fits;
  std::vector<check::ProgramIndex> programs = check::indexPrograms(executable);
  abi::Expected<check::Messages> messages = check::findMessages(programs);
  if (!messages)
    return messages.status();
  std::vector<check::Execution> executions = check::listExecutions(executable);
  if (executions.empty())
    return abi::Status::badInput("expected a program with a section, got none");
  Simulation result{.execution = executions.front().name, .actions = executions.front().actions};
  std::vector<FlatProgram> flatPrograms;
  abi::DeviceFigures device = deviceOf(executable, cluster);
  for (const check::ProgramIndex &index : programs)
    flatPrograms.push_back(makeFlatProgram(index, result.actions[index.number], device));
  RendezvousTable rendezvousTable(programs, *messages, cluster);
  RendezvousNetwork network =
      makeNetwork(rendezvousTable, findClasses(rendezvousTable, options.everyRank), cluster);
  VirtualClock clock(flatPrograms, network, cluster.device().collective_share().value());
  if (!clock.run())
    return describe(clock.findStop(), network, programs, flatPrograms);
  result.timelines = clock.takeTimelines();
  result.seconds = result.timelines.front().seconds.sum();
  if (options.tracksMemory)
    trackMemories(programs, flatPrograms, result.timelines);
  return result;
}

} // namespace pcc::simulate
