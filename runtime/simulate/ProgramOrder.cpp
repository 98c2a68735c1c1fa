// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imitates the waiting of the executor (PreparedSection.cpp, EventTable.cpp). Each start and each
// completion takes one turn. A wait completes the starts of a batch, oldest first, up to the
// awaited one.

#include "runtime/simulate/LiveMemory.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/abi/program/Waits.h"
#include "runtime/check/match/LaunchGrouping.h"

#include <algorithm>
#include <deque>

namespace pcc::simulate {
namespace {

/// Instructions that start together, or one COMPUTE instruction without communication.
/// `participating` are the ones in which the rank takes part.
struct Batch {
  std::vector<uint32_t> instructions, participating;
  bool communicates = false;
  /// A start that is not yet awaited: the number of its action, and its runs.
  struct PendingStart {
    uint64_t number;
    std::vector<size_t> runs;
  };
  std::deque<PendingStart> pendingStarts = {};
};

class ProgramOrderWalk {
public:
  ProgramOrderWalk(const check::ProgramIndex &index, const check::ByteMap &bytes,
                   const FlatProgram &flatProgram, int64_t rank)
      : index(index), bytes(bytes), flatProgram(flatProgram), rank(rank),
        pending(index.program.events()), spans(flatProgram.countRuns(), never) {
    makeBatches();
  }
  std::vector<Span> walk();

private:
  void makeBatches();
  bool takesPart(const abi::Instruction &instruction) const;
  void runBatch(size_t batch, size_t action, size_t firstRun);
  void wait(const Wait &wait, uint64_t number);
  void finish(size_t batch);
  void finishFirst(size_t batch);
  void waitForResults(uint32_t section);
  bool writesTo(const Batch::PendingStart &start, const Batch &batch, check::Pieces there) const;

  const check::ProgramIndex &index;
  const check::ByteMap &bytes;
  const FlatProgram &flatProgram;
  const int64_t rank;
  std::vector<Batch> batches;
  /// By section: its batches first … end-1.
  std::vector<std::pair<size_t, size_t>> batchesOf;
  /// By event: the pending batch that signals it, counted from 1; 0 for none.
  std::vector<size_t> pending;
  std::vector<Span> spans;
  double turn = 0;
};

bool ProgramOrderWalk::takesPart(const abi::Instruction &instruction) const {
  return !check::isMessage(instruction) ||
         abi::evaluate(instruction.collective().peer(), index.executable.mesh(), rank) >= 0;
}

void ProgramOrderWalk::makeBatches() {
  check::LaunchGrouping grouping(index.executable, index.program);
  for (size_t section = 0; section + 1 < flatProgram.firstOf.size(); ++section) {
    size_t first = batches.size();
    std::vector<const abi::Instruction *> open;
    for (uint32_t r = flatProgram.firstOf[section]; r < flatProgram.firstOf[section + 1]; ++r) {
      const abi::Instruction &instruction = *index.instructions[r];
      bool communicates = instruction.has_collective();
      if (!communicates || open.empty() || !grouping.join(open, instruction)) {
        batches.push_back({.instructions = {}, .participating = {}, .communicates = communicates});
        open.clear();
      }
      if (communicates)
        open.push_back(&instruction);
      batches.back().instructions.push_back(r);
      if (takesPart(instruction))
        batches.back().participating.push_back(r);
    }
    batchesOf.emplace_back(first, batches.size());
  }
}

void ProgramOrderWalk::finishFirst(size_t number) {
  Batch &batch = batches[number];
  for (size_t run : batch.pendingStarts.front().runs)
    spans[run].end = turn;
  ++turn;
  batch.pendingStarts.pop_front();
  if (!batch.pendingStarts.empty())
    return;
  for (uint32_t instruction : batch.instructions)
    for (uint32_t event : flatProgram.instructions[instruction].signals)
      pending[event] = 0;
}

void ProgramOrderWalk::finish(size_t batch) {
  while (!batches[batch].pendingStarts.empty())
    finishFirst(batch);
}

void ProgramOrderWalk::wait(const Wait &wait, uint64_t number) {
  if (pending[wait.event] == 0)
    return;
  size_t batch = pending[wait.event] - 1;
  if (wait.behind == 0)
    return finish(batch);
  std::optional<uint64_t> awaited = abi::awaitedNumber(wait.behind, number);
  const auto &pendingStarts = batches[batch].pendingStarts;
  while (std::any_of(pendingStarts.begin(), pendingStarts.end(),
                     [&](const Batch::PendingStart &start) { return start.number == awaited; }))
    finishFirst(batch);
}

void ProgramOrderWalk::runBatch(size_t number, size_t action, size_t firstRun) {
  Batch &batch = batches[number];
  uint32_t section = flatProgram.actions[action].section();
  for (uint32_t instruction : batch.instructions)
    for (const Wait &each : flatProgram.instructions[instruction].waits)
      wait(each, flatProgram.numbers[action]);
  if (batch.participating.empty())
    return;
  abi::StreamKind stream = flatProgram.instructions[batch.participating.front()].stream;
  if (stream != abi::TRANSFER)
    finish(number);
  Batch::PendingStart start{flatProgram.numbers[action], {}};
  for (uint32_t instruction : batch.participating) {
    start.runs.push_back(firstRun + instruction - flatProgram.firstOf[section]);
    spans[start.runs.back()] = {turn, turn};
  }
  ++turn;
  batch.pendingStarts.push_back(std::move(start));
  for (uint32_t instruction : batch.instructions)
    for (uint32_t event : flatProgram.instructions[instruction].signals)
      if (batch.communicates)
        pending[event] = number + 1;
  if (stream == abi::COMPUTE || !batch.communicates)
    finish(number);
}

bool ProgramOrderWalk::writesTo(const Batch::PendingStart &start, const Batch &batch,
                                check::Pieces there) const {
  for (uint32_t instruction : batch.participating)
    for (const check::Touch &touch : bytes.touchesOf(instruction))
      if (check::Pieces own = touch.of(start.number);
          touch.writes && own.first < there.end && there.first < own.end)
        return true;
  return false;
}

/// Waits for the writers of the results of a section after its last run.
void ProgramOrderWalk::waitForResults(uint32_t section) {
  for (const abi::Result &result : index.program.results()) {
    if (result.section() != section)
      continue;
    check::Pieces there = bytes.buffer(result.buffer()).of(0);
    for (size_t b = 0; b < batches.size(); ++b)
      if (std::any_of(
              batches[b].pendingStarts.begin(), batches[b].pendingStarts.end(),
              [&](const Batch::PendingStart &start) { return writesTo(start, batches[b], there); }))
        finish(b);
  }
}

std::vector<Span> ProgramOrderWalk::walk() {
  std::vector<size_t> left(batchesOf.size(), 0);
  for (const abi::Action &action : flatProgram.actions)
    ++left[action.section()];
  size_t run = 0;
  for (size_t action = 0; action < flatProgram.actions.size(); ++action) {
    uint32_t section = flatProgram.actions[action].section();
    for (size_t b = batchesOf[section].first; b < batchesOf[section].second; ++b)
      runBatch(b, action, run);
    run += flatProgram.firstOf[section + 1] - flatProgram.firstOf[section];
    if (--left[section] == 0)
      waitForResults(section);
  }
  for (size_t b = 0; b < batches.size(); ++b)
    finish(b);
  return std::move(spans);
}

} // namespace

std::vector<Span> spansInProgramOrder(const check::ProgramIndex &index, const check::ByteMap &bytes,
                                      const FlatProgram &flatProgram, int64_t rank) {
  return ProgramOrderWalk(index, bytes, flatProgram, rank).walk();
}

} // namespace pcc::simulate
