// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/LastRuns.h"

#include <map>

namespace pcc::test {
namespace {

/// Sections of a program of Pipelines.h, and the one that comes to them.
enum { Forward, Backward, Update, Last };

class Splitter {
public:
  explicit Splitter(abi::Program &program) : program(program) {}
  void split();

private:
  void cloneRecords();
  void moveReductions();
  void moveBehind(const abi::Record &reduction);
  void replaceWaits(abi::Record &record, const std::map<uint32_t, uint32_t> &events);

  abi::Program &program;
  /// By event that a record of `backward` signals: the event of its copy.
  std::map<uint32_t, uint32_t> copyOf;
};

/// Waits for the last run; those for a certain microbatch stay.
void Splitter::replaceWaits(abi::Record &record, const std::map<uint32_t, uint32_t> &events) {
  for (int w = 0; w < record.waits_size(); ++w) {
    bool isLast = record.behind_size() == 0 || record.behind(w) == 0;
    if (auto copy = events.find(record.waits(w)); isLast && copy != events.end())
      record.set_waits(w, copy->second);
  }
}

void Splitter::cloneRecords() {
  abi::Section &last = *program.add_sections();
  last = program.sections(Backward);
  last.set_name("backward_last");
  last.set_last_of(Backward + 1);
  for (abi::Record &record : *last.mutable_records()) {
    replaceWaits(record, copyOf);
    for (uint32_t &event : *record.mutable_signals()) {
      copyOf[event] = program.events();
      event = program.events();
      program.set_events(program.events() + 1);
    }
    if (record.has_matmul() && record.matmul().accumulation() == abi::ADD_AFTER_FIRST)
      record.mutable_matmul()->set_accumulation(abi::ADD);
    if (record.has_accumulate())
      record.mutable_accumulate()->set_accumulation(abi::ADD);
  }
  for (abi::Record &record : *program.mutable_sections(Update)->mutable_records())
    replaceWaits(record, copyOf);
}

/// Adds a reduction behind the product that ends its sum, and shows it as what is read.
void Splitter::moveBehind(const abi::Record &reduction) {
  uint32_t sum = reduction.collective().source().buffer();
  auto &records = *program.mutable_sections(Last)->mutable_records();
  int place = 0;
  while (!records[place].has_matmul() || records[place].matmul().c().buffer() != sum)
    ++place;
  abi::Record moved = reduction;
  moved.clear_waits();
  moved.add_waits(program.events());
  records[place].add_signals(program.events());
  program.set_events(program.events() + 1);
  *records.Add() = std::move(moved);
  for (int i = records.size() - 1; i > place + 1; --i)
    records.SwapElements(i, i - 1);
  for (abi::Result &result : *program.mutable_results())
    if (result.buffer() == sum)
      result.clear_partial_axes();
}

void Splitter::moveReductions() {
  abi::Section stays = program.sections(Update);
  stays.clear_records();
  for (const abi::Record &record : program.sections(Update).records())
    if (record.lane() == abi::COMMUNICATION)
      moveBehind(record);
    else
      *stays.add_records() = record;
  *program.mutable_sections(Update) = std::move(stays);
}

void Splitter::split() {
  cloneRecords();
  moveReductions();
  abi::Slot *last = nullptr;
  for (abi::Slot &slot : *program.mutable_slots())
    if (slot.section() == Backward)
      last = &slot;
  last->set_section(Last);
  for (abi::Result &result : *program.mutable_results())
    if (result.section() == Backward)
      result.set_section(Last);
}

} // namespace

void splitLastRuns(abi::Executable &executable) {
  for (abi::Program &program : *executable.mutable_programs())
    Splitter(program).split();
}

} // namespace pcc::test
