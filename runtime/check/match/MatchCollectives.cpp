// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the members of each group call the same sequence of collectives.

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/match/Matching.h"
#include "runtime/check/program/Names.h"

#include <fmt/format.h>
#include <google/protobuf/util/message_differencer.h>

#include <map>
#include <set>
#include <tuple>

namespace pcc::check {
namespace {

/// One call of a group's collective by one program.
struct CollectiveCall {
  const abi::Instruction *instruction;
  const abi::Action *action;
  /// Identifies the properties that all members must agree on; calls with equal numbers match.
  uint32_t signature;
};

/// Returns what all members must agree on.
abi::Collective withoutOwn(const abi::Collective &collective) {
  abi::Collective common = collective;
  common.clear_source();
  common.clear_destination();
  common.clear_root(); // an expression, compared by value
  return common;
}

/// Collects the names of the fields in which two messages differ.
class DifferentFields : public google::protobuf::util::MessageDifferencer::Reporter {
public:
  using Message = google::protobuf::Message;
  using Path = std::vector<google::protobuf::util::MessageDifferencer::SpecificField>;

  void ReportAdded(const Message &, const Message &, const Path &path) override { add(path); }
  void ReportDeleted(const Message &, const Message &, const Path &path) override { add(path); }
  void ReportModified(const Message &, const Message &, const Path &path) override { add(path); }

  std::set<std::string> names;

private:
  void add(const Path &path) { names.emplace(path.front().field->name()); }
};

/// Returns the fields in which two calls differ, as in "; they differ in 'reduction'".
std::string describeDifference(const CollectiveCall &a, const CollectiveCall &b) {
  DifferentFields fields;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesTo(&fields);
  differencer.Compare(withoutOwn(a.instruction->collective()),
                      withoutOwn(b.instruction->collective()));
  if (fields.names.empty())
    return ""; // in their microbatch or copy
  return fmt::format("; they differ in '{}'", fmt::join(fields.names, "', '"));
}

class CollectiveMatcher {
public:
  CollectiveMatcher(const std::vector<ProgramIndex> &programs, const Execution &execution)
      : programs(programs), execution(execution), executable(programs.front().executable) {
    for (const ProgramIndex &index : programs)
      collect(index);
  }

  abi::Status check();

private:
  void collect(const ProgramIndex &index);
  uint32_t signatureOf(const abi::Instruction &instruction, const abi::Action &action);
  abi::Status compare(uint32_t group, int64_t rank, int64_t other) const;
  abi::Status compareRoots(const std::vector<CollectiveCall> &calls,
                           const std::vector<CollectiveCall> &others, int64_t rank,
                           int64_t other) const;

  const std::vector<ProgramIndex> &programs;
  const Execution &execution;
  const abi::Executable &executable;
  /// Numbers of the properties of a call without its action, by instruction and by text; and of
  /// both together.
  std::map<const abi::Instruction *, uint32_t> saidBy;
  std::map<std::string, uint32_t> texts;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> signatures;
  /// By program, then by group.
  std::vector<std::vector<std::vector<CollectiveCall>>> calls;
};

void CollectiveMatcher::collect(const ProgramIndex &index) {
  std::vector<std::vector<CollectiveCall>> &own = calls.emplace_back(executable.groups_size());
  for (const abi::Action &action : execution.actions[index.number])
    for (const abi::Instruction &instruction :
         index.program.sections(int(action.section())).instructions())
      if (instruction.has_collective() && !isMessage(instruction))
        own[instruction.collective().group()].push_back(
            {&instruction, &action, signatureOf(instruction, action)});
}

uint32_t CollectiveMatcher::signatureOf(const abi::Instruction &instruction,
                                        const abi::Action &action) {
  auto [said, isNew] = saidBy.try_emplace(&instruction, 0);
  if (isNew) {
    std::string text = withoutOwn(instruction.collective()).SerializeAsString();
    said->second = texts.try_emplace(std::move(text), texts.size()).first->second;
  }
  std::tuple<uint32_t, uint32_t, uint32_t> key(said->second, action.microbatch(), action.copy());
  return signatures.try_emplace(key, uint32_t(signatures.size())).first->second;
}

abi::Status CollectiveMatcher::check() {
  for (int g = 0; g < executable.groups_size(); ++g) {
    std::set<std::pair<int, int>> compared;
    for (const abi::RankList &list : executable.groups(g).lists()) {
      int first = abi::programOfRank(executable, list.ranks(0));
      for (uint32_t rank : list.ranks()) {
        int program = abi::programOfRank(executable, rank);
        if (program == first)
          continue;
        // Sequences are equal within a program; roots may differ by rank.
        abi::Status status =
            compared.insert({first, program}).second
                ? compare(uint32_t(g), list.ranks(0), rank)
                : compareRoots(calls[first][g], calls[program][g], list.ranks(0), rank);
        if (!status.ok())
          return status;
      }
    }
  }
  return {};
}

abi::Status CollectiveMatcher::compare(uint32_t group, int64_t rank, int64_t other) const {
  int first = abi::programOfRank(executable, rank), second = abi::programOfRank(executable, other);
  const std::vector<CollectiveCall> &a = calls[first][group], &b = calls[second][group];
  auto name = [&](int program, const CollectiveCall &call) {
    return fmt::format("{} by {}", callOf(call.instruction->collective()),
                       nameOf(programs[program].program, *call.instruction, *call.action));
  };
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size()) {
      bool firstEnds = i >= a.size();
      return abi::Status::badInput(fmt::format(
          "collective {} of group {}: rank {} calls {}, but rank {} has no more collectives there",
          i, group, firstEnds ? other : rank, firstEnds ? name(second, b[i]) : name(first, a[i]),
          firstEnds ? rank : other));
    }
    if (a[i].signature != b[i].signature)
      return abi::Status::badInput(fmt::format(
          "collective {} of group {}: rank {} calls {}, but rank {} calls {}{}", i, group, rank,
          name(first, a[i]), other, name(second, b[i]), describeDifference(a[i], b[i])));
  }
  return compareRoots(a, b, rank, other);
}

abi::Status CollectiveMatcher::compareRoots(const std::vector<CollectiveCall> &calls,
                                            const std::vector<CollectiveCall> &others, int64_t rank,
                                            int64_t other) const {
  for (size_t i = 0; i < calls.size(); ++i) {
    const abi::Collective &a = calls[i].instruction->collective(),
                          &b = others[i].instruction->collective();
    if (a.kind() != abi::BROADCAST && a.kind() != abi::REDUCE)
      continue;
    int64_t root = abi::evaluate(a.root(), executable.mesh(), rank);
    int64_t otherRoot = abi::evaluate(b.root(), executable.mesh(), other);
    if (root != otherRoot)
      return abi::Status::badInput(
          fmt::format("{}: rank {} expects the root {}, but rank {} the root {}",
                      nameOf(*calls[i].instruction), rank, root, other, otherRoot));
  }
  return {};
}

} // namespace

abi::Status checkCollectives(const std::vector<ProgramIndex> &programs,
                             const Execution &execution) {
  return CollectiveMatcher(programs, execution).check();
}

} // namespace pcc::check
