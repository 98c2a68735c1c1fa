// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/ListOrder.h"

#include "runtime/abi/RankExpression.h"
#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"
#include "runtime/check/Neighbours.h"

#include <algorithm>
#include <deque>

namespace pcc::simulate {
namespace {

/// Instructions that start together, or one COMPUTE instruction without communication. `parts` are
/// the ones in which the rank takes part.
struct Batch {
  std::vector<uint32_t> records, parts;
  bool meets = false;
  /// A start that is not yet awaited: the number of its slot, and its runs.
  struct Flight {
    uint64_t number;
    std::vector<size_t> runs;
  };
  std::deque<Flight> flights = {};
};

class ListWalk {
public:
  ListWalk(const check::ProgramIndex &index, const check::ByteMap &bytes, const Script &script,
           int64_t rank)
      : index(index), bytes(bytes), script(script), rank(rank), pending(index.program.events()),
        spans(script.countRuns(), never) {
    makeBatches();
  }
  std::vector<Span> walk();

private:
  void makeBatches();
  bool takesPart(const abi::Record &record) const;
  void runBatch(size_t batch, size_t slot, size_t firstRun);
  void wait(const Wait &wait, uint64_t number);
  void finish(size_t batch);
  void finishFirst(size_t batch);
  void show(uint32_t section);
  bool writesTo(const Batch::Flight &flight, const Batch &batch, check::Pieces there) const;

  const check::ProgramIndex &index;
  const check::ByteMap &bytes;
  const Script &script;
  const int64_t rank;
  std::vector<Batch> batches;
  /// By section: its batches first … end-1.
  std::vector<std::pair<size_t, size_t>> batchesOf;
  /// By event: the pending batch that signals it, counted from 1; 0 for none.
  std::vector<size_t> pending;
  std::vector<Span> spans;
  double turn = 0;
};

bool ListWalk::takesPart(const abi::Record &record) const {
  return !check::isMessage(record) ||
         abi::evaluate(record.collective().peer(), index.executable.mesh(), rank) >= 0;
}

void ListWalk::makeBatches() {
  check::Neighbours neighbours(index.executable, index.program);
  for (size_t section = 0; section + 1 < script.firstOf.size(); ++section) {
    size_t first = batches.size();
    std::vector<const abi::Record *> open;
    for (uint32_t r = script.firstOf[section]; r < script.firstOf[section + 1]; ++r) {
      const abi::Record &record = *index.records[r];
      bool meets = record.has_collective();
      if (!meets || open.empty() || !neighbours.join(open, record)) {
        batches.push_back({.records = {}, .parts = {}, .meets = meets});
        open.clear();
      }
      if (meets)
        open.push_back(&record);
      batches.back().records.push_back(r);
      if (takesPart(record))
        batches.back().parts.push_back(r);
    }
    batchesOf.emplace_back(first, batches.size());
  }
}

void ListWalk::finishFirst(size_t number) {
  Batch &batch = batches[number];
  for (size_t run : batch.flights.front().runs)
    spans[run].end = turn;
  ++turn;
  batch.flights.pop_front();
  if (!batch.flights.empty())
    return;
  for (uint32_t record : batch.records)
    for (uint32_t event : script.actions[record].signals)
      pending[event] = 0;
}

void ListWalk::finish(size_t batch) {
  while (!batches[batch].flights.empty())
    finishFirst(batch);
}

void ListWalk::wait(const Wait &wait, uint64_t number) {
  if (pending[wait.event] == 0)
    return;
  size_t batch = pending[wait.event] - 1;
  if (wait.behind == 0)
    return finish(batch);
  std::optional<uint64_t> awaited = abi::awaitedNumber(wait.behind, number);
  const auto &flights = batches[batch].flights;
  while (std::any_of(flights.begin(), flights.end(),
                     [&](const Batch::Flight &flight) { return flight.number == awaited; }))
    finishFirst(batch);
}

void ListWalk::runBatch(size_t number, size_t slot, size_t firstRun) {
  Batch &batch = batches[number];
  uint32_t section = script.slots[slot].section();
  for (uint32_t record : batch.records)
    for (const Wait &each : script.actions[record].waits)
      wait(each, script.numbers[slot]);
  if (batch.parts.empty())
    return;
  abi::Lane lane = script.actions[batch.parts.front()].lane;
  if (lane != abi::TRANSFER)
    finish(number);
  Batch::Flight flight{script.numbers[slot], {}};
  for (uint32_t record : batch.parts) {
    flight.runs.push_back(firstRun + record - script.firstOf[section]);
    spans[flight.runs.back()] = {turn, turn};
  }
  ++turn;
  batch.flights.push_back(std::move(flight));
  for (uint32_t record : batch.records)
    for (uint32_t event : script.actions[record].signals)
      if (batch.meets)
        pending[event] = number + 1;
  if (lane == abi::COMPUTE || !batch.meets)
    finish(number);
}

bool ListWalk::writesTo(const Batch::Flight &flight, const Batch &batch,
                        check::Pieces there) const {
  for (uint32_t record : batch.parts)
    for (const check::Touch &touch : bytes.touchesOf(record))
      if (check::Pieces own = touch.of(flight.number);
          touch.writes && own.first < there.end && there.first < own.end)
        return true;
  return false;
}

/// Waits for the writers of the results of a section after its last run.
void ListWalk::show(uint32_t section) {
  for (const abi::Result &result : index.program.results()) {
    if (result.section() != section)
      continue;
    check::Pieces there = bytes.buffer(result.buffer()).of(0);
    for (size_t b = 0; b < batches.size(); ++b)
      if (std::any_of(
              batches[b].flights.begin(), batches[b].flights.end(),
              [&](const Batch::Flight &flight) { return writesTo(flight, batches[b], there); }))
        finish(b);
  }
}

std::vector<Span> ListWalk::walk() {
  std::vector<size_t> left(batchesOf.size(), 0);
  for (const abi::Slot &slot : script.slots)
    ++left[slot.section()];
  size_t run = 0;
  for (size_t slot = 0; slot < script.slots.size(); ++slot) {
    uint32_t section = script.slots[slot].section();
    for (size_t b = batchesOf[section].first; b < batchesOf[section].second; ++b)
      runBatch(b, slot, run);
    run += script.firstOf[section + 1] - script.firstOf[section];
    if (--left[section] == 0)
      show(section);
  }
  for (size_t b = 0; b < batches.size(); ++b)
    finish(b);
  return std::move(spans);
}

} // namespace

std::vector<Span> listSpans(const check::ProgramIndex &index, const check::ByteMap &bytes,
                            const Script &script, int64_t rank) {
  return ListWalk(index, bytes, script, rank).walk();
}

} // namespace pcc::simulate
