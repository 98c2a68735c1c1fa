// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/open/MessageRoutes.h"

#include "runtime/abi/ProgramRanks.h"
#include "runtime/abi/RankExpression.h"
#include "runtime/execute/PrepareCollective.h"

#include <map>
#include <set>

namespace pcc::runtime {
namespace {

/// Maps the name of a run to the tags of one side's messages, in the order in which that side
/// starts them. A run is a section or a step; the name of a step is empty.
using Order = std::map<std::string, std::vector<uint32_t>>;
/// By sender and receiver.
using Orders = std::map<std::pair<int, int>, Order>;

struct Sides {
  Orders sends, receives;
};

/// Adds the messages of a rank in a section to the run named `run`.
void addSection(const abi::Section &section, const abi::Mesh &mesh, int64_t rank,
                const std::string &run, Sides &sides) {
  for (const abi::Instruction &instruction : section.instructions()) {
    const abi::Collective &collective = instruction.collective();
    if (!instruction.has_collective() || !isPointToPoint(collective.kind()))
      continue;
    int peer = int(evaluate(collective.peer(), mesh, rank)), own = int(rank);
    if (peer < 0)
      continue; // the rank does not take part
    if (collective.kind() == abi::SEND)
      sides.sends[{own, peer}][run].push_back(collective.tag());
    else
      sides.receives[{peer, own}][run].push_back(collective.tag());
  }
}

Sides sidesOf(const abi::Executable &executable) {
  Sides sides;
  for (int64_t rank = 0; rank < abi::rankCount(executable.mesh()); ++rank) {
    const abi::Program &program = executable.programs(abi::programOfRank(executable, rank));
    for (const abi::Action &action : program.actions())
      addSection(program.sections(int(action.section())), executable.mesh(), rank, "", sides);
    for (const abi::Section &section : program.sections())
      addSection(section, executable.mesh(), rank, section.name(), sides);
  }
  return sides;
}

} // namespace

std::vector<nccl::Route> messageRoutes(const abi::Executable &executable) {
  Sides sides = sidesOf(executable);
  std::vector<nccl::Route> routes;
  for (const auto &[ends, sent] : sides.sends) {
    std::set<uint32_t> tags;
    for (const auto &[run, list] : sent)
      tags.insert(list.begin(), list.end());
    auto add = [&](std::vector<uint32_t> list) {
      routes.push_back({.sender = ends.first, .receiver = ends.second, .tags = std::move(list)});
    };
    if (sides.receives[ends] == sent) {
      add({tags.begin(), tags.end()});
      continue;
    }
    for (uint32_t tag : tags)
      add({tag});
  }
  return routes;
}

} // namespace pcc::runtime
