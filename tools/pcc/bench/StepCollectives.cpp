// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions and measurements share the same batches (batchesOf), so their times are comparable by
// key. In a trace, the first instruction of a batch represents it.
#include "tools/pcc/bench/StepTimes.h"

#include "runtime/abi/program/RankExpression.h"
#include "runtime/check/match/LaunchGrouping.h"
#include "runtime/execute/rank/PrepareCollective.h"
#include "runtime/machine/CollectiveTraffic.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace pcc::cli {

using abi::Instruction;

std::vector<CollectiveBatch> batchesOf(const abi::Executable &executable,
                                       const abi::Program &program, const abi::Section &section) {
  check::LaunchGrouping grouping(executable, program);
  std::vector<CollectiveBatch> batches;
  bool isOpen = false;
  for (const Instruction &instruction : section.instructions()) {
    const abi::Collective &collective = instruction.collective();
    if (!instruction.has_collective() || runtime::isPointToPoint(collective.kind()) ||
        collective.kind() == abi::BARRIER) {
      isOpen = false;
      continue;
    }
    int64_t members = executable.groups(int(collective.group())).lists(0).ranks_size();
    if (!isOpen || !grouping.join(batches.back().instructions, instruction))
      batches.push_back({{collective.kind(), members, 0}, {}});
    isOpen = true;
    batches.back().instructions.push_back(&instruction);
    batches.back().key.bytes += int64_t(machine::trafficOf(collective, members).bytes);
  }
  return batches;
}

namespace {

/// Maps the first instruction of each batch, which represents the batch in a trace, to its key.
std::map<const Instruction *, CollectiveKey>
keysByFirstInstruction(const abi::Executable &executable) {
  std::map<const Instruction *, CollectiveKey> keys;
  for (const abi::Program &program : executable.programs())
    for (const abi::Section &section : program.sections())
      for (const CollectiveBatch &batch : batchesOf(executable, program, section))
        keys.emplace(batch.instructions.front(), batch.key);
  return keys;
}

} // namespace

CollectiveMeans predictCollectives(const abi::Executable &executable,
                                   const simulate::Simulation &simulation) {
  CollectiveMeans means;
  for (const simulate::Timeline &timeline : simulation.timelines) {
    const abi::Program &program = executable.programs(timeline.program);
    const simulate::Span *span = timeline.spans.data();
    for (const abi::Action &action : simulation.actions[size_t(timeline.program)]) {
      const abi::Section &section = program.sections(int(action.section()));
      std::map<const Instruction *, simulate::Span> ofInstruction;
      for (const Instruction &instruction : section.instructions())
        ofInstruction[&instruction] = *span++;
      for (const CollectiveBatch &batch : batchesOf(executable, program, section)) {
        double begin = std::numeric_limits<double>::infinity(), end = 0;
        for (const Instruction *instruction : batch.instructions)
          if (const simulate::Span &own = ofInstruction.at(instruction); own.hasTime()) {
            begin = std::min(begin, own.begin);
            end = std::max(end, own.end);
          }
        if (begin <= end)
          means[batch.key].add(end - begin, int64_t(timeline.ranks.size()));
      }
    }
  }
  return means;
}

CollectiveMeans measureCollectives(const abi::Executable &executable,
                                   const std::vector<std::vector<runtime::TraceEntry>> &ranks,
                                   int64_t first) {
  std::map<const Instruction *, CollectiveKey> keys = keysByFirstInstruction(executable);
  // Least time over the ranks of a list, by instruction, step and execution within the step.
  std::map<std::tuple<const Instruction *, int64_t, int, const abi::RankList *>, double> least;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    std::map<std::pair<const Instruction *, int64_t>, int> runs;
    for (const runtime::TraceEntry &entry : ranks[rank]) {
      if (entry.step < first || !keys.contains(entry.instruction))
        continue;
      int run = runs[{entry.instruction, entry.step}]++;
      double seconds = double(entry.end - entry.begin) * 1e-9;
      const abi::RankGroups &group =
          executable.groups(int(entry.instruction->collective().group()));
      const abi::RankList *list = &abi::groupOf(group, int64_t(rank));
      auto [known, isNew] = least.try_emplace({entry.instruction, entry.step, run, list}, seconds);
      known->second = std::min(known->second, seconds);
    }
  }
  CollectiveMeans means;
  for (const auto &[run, seconds] : least)
    means[keys.at(std::get<0>(run))].add(seconds);
  return means;
}

} // namespace pcc::cli
