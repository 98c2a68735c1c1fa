// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the vector clocks of HappensBefore.h. Stores them at the points to which a later
// instruction may refer: the end of the last run of each event and clock, and of numbered runs of
// events. enter() merges the ones that the instruction waits for. leave() adds its own run and
// stores the result.

#include "runtime/check/dataflow/HappensBefore.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/Waits.h"

#include <algorithm>

namespace pcc::check {
namespace {

void merge(Clock &into, const Clock &other) {
  for (size_t i = 0; i < other.size(); ++i) // an empty clock: no run is known
    into[i] = std::max(into[i], other[i]);
}

} // namespace

HappensBefore::HappensBefore(const ProgramIndex &index, const Arrivals *arrivals)
    : index(index), arrivals(arrivals) {
  for (const abi::Instruction *instruction : index.instructions)
    for (int w = 0; w < instruction->waits_size(); ++w)
      if (abi::behindOf(*instruction, w) > 0)
        signaledFor[instruction->waits(w)];
  finish();
}

void HappensBefore::enterAction(const abi::Action &action) {
  enterThread();
  actionBegin = compute;
  number = abi::ringIndex(index.executable.batch(), action);
}

void HappensBefore::finish() {
  now.assign(index.clocks, 0);
  compute = actionBegin = now;
  signaled.assign(index.program.events(), {});
  doneByClock.assign(index.clocks, {});
  for (auto &[event, byNumber] : signaledFor)
    byNumber.clear();
  runs.assign(index.clocks, 0);
  computed = 0;
}

void HappensBefore::waitForEvents(const abi::Instruction &instruction) {
  for (int w = 0; w < instruction.waits_size(); ++w) {
    uint32_t event = instruction.waits(w), behind = abi::behindOf(instruction, w);
    if (behind == 0) {
      merge(now, signaled[event]);
      continue;
    }
    const std::map<uint64_t, Clock> &byNumber = signaledFor[event];
    if (std::optional<uint64_t> awaited = abi::awaitedNumber(behind, number))
      if (auto known = byNumber.find(*awaited); known != byNumber.end())
        merge(now, known->second);
  }
}

void HappensBefore::enter(uint32_t instruction) {
  entered = instruction;
  const abi::Instruction &entry = *index.instructions[instruction];
  uint32_t clock = index.clockOf[instruction];
  if (entry.stream() == abi::COMPUTE)
    now = compute;
  else if (entry.stream() == abi::COMMUNICATION)
    now = entry.collective().fused() ? messageBegin : actionBegin;
  else
    now.assign(index.clocks, 0);
  if (entry.stream() != abi::TRANSFER) // TRANSFER messages overlap their earlier runs
    merge(now, doneByClock[clock]);
  waitForEvents(entry);
  if (entry.stream() == abi::COMMUNICATION && !entry.collective().fused()) {
    messageBegin = now;
    messageDone.clear();
  }
  count = clock == 0 ? computed + 1 : ++runs[clock];
  bool isKnown = arrivals && count <= (*arrivals)[clock].size();
  arrival = isKnown ? &(*arrivals)[clock][count - 1] : nullptr;
}

void HappensBefore::leave() {
  const abi::Instruction &instruction = *index.instructions[entered];
  uint32_t clock = index.clockOf[entered];
  now[clock] = std::max(now[clock], count);
  merge(now, doneByClock[clock]); // earlier runs finish first
  if (instruction.stream() == abi::COMPUTE)
    now[0] = ++computed;
  if (arrival)
    merge(now, *arrival);
  if (instruction.stream() == abi::COMMUNICATION) {
    merge(now, messageDone);
    messageDone = now;
  }
  if (clock != 0)
    doneByClock[clock] = now;
  if (instruction.stream() == abi::COMPUTE)
    compute = now;
  for (uint32_t event : instruction.signals()) {
    signaled[event] = now;
    if (auto byNumber = signaledFor.find(event); byNumber != signaledFor.end())
      byNumber->second[number] = now;
  }
}

void HappensBefore::waitFor(Timestamp timestamp) {
  if (isDone(timestamp))
    return;
  merge(now, doneByClock[timestamp.clock]);
  compute = now;
}

} // namespace pcc::check
