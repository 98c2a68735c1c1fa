// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/HappensBefore.h"

#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"

#include <algorithm>

namespace pcc::check {
namespace {

void merge(Clock &into, const Clock &other) {
  for (size_t i = 0; i < other.size(); ++i) // shorter: nothing is known
    into[i] = std::max(into[i], other[i]);
}

} // namespace

HappensBefore::HappensBefore(const ProgramIndex &index, const Told *told)
    : index(index), told(told) {
  for (const abi::Record *record : index.records)
    for (int w = 0; w < record->waits_size(); ++w)
      if (abi::behindOf(*record, w) > 0)
        signalledFor[record->waits(w)];
  finish();
}

void HappensBefore::enterSlot(const abi::Slot &slot) {
  enterThread();
  slotBegin = compute;
  number = abi::ringIndex(index.executable.batch(), slot);
}

void HappensBefore::finish() {
  now.assign(index.clocks, 0);
  compute = slotBegin = now;
  signalled.assign(index.program.events(), {});
  doneBy.assign(index.clocks, {});
  for (auto &[event, byNumber] : signalledFor)
    byNumber.clear();
  runs.assign(index.records.size(), 0);
  computed = 0;
}

void HappensBefore::waitForEvents(const abi::Record &record) {
  for (int w = 0; w < record.waits_size(); ++w) {
    uint32_t event = record.waits(w), behind = abi::behindOf(record, w);
    if (behind == 0) {
      merge(now, signalled[event]);
      continue;
    }
    const std::map<uint64_t, Clock> &byNumber = signalledFor[event];
    if (std::optional<uint64_t> awaited = abi::awaitedNumber(behind, number))
      if (auto known = byNumber.find(*awaited); known != byNumber.end())
        merge(now, known->second);
  }
}

void HappensBefore::enter(uint32_t record) {
  entered = record;
  const abi::Record &entry = *index.records[record];
  uint32_t clock = index.clockOf[record];
  if (entry.lane() == abi::COMPUTE)
    now = compute;
  else if (entry.lane() == abi::COMMUNICATION)
    now = slotBegin;
  else
    now.assign(index.clocks, 0);
  if (entry.lane() != abi::TRANSFER) // whose messages do not wait for those before them
    merge(now, doneBy[clock]);
  waitForEvents(entry);
  ++runs[record];
  count = clock == 0 ? computed + 1 : runs[record];
}

void HappensBefore::leave() {
  const abi::Record &record = *index.records[entered];
  uint32_t clock = index.clockOf[entered];
  now[clock] = std::max(now[clock], count);
  merge(now, doneBy[clock]); // which is done first
  if (record.lane() == abi::COMPUTE)
    now[0] = ++computed;
  if (told)
    if (auto known = told->find({entered, runs[entered] - 1}); known != told->end())
      for (Moment moment : known->second)
        now[moment.clock] = std::max(now[moment.clock], moment.count);
  if (clock != 0)
    doneBy[clock] = now;
  if (record.lane() == abi::COMPUTE)
    compute = now;
  for (uint32_t event : record.signals()) {
    signalled[event] = now;
    if (auto byNumber = signalledFor.find(event); byNumber != signalledFor.end())
      byNumber->second[number] = now;
  }
}

void HappensBefore::waitFor(Moment moment) {
  if (isDone(moment))
    return;
  merge(now, doneBy[moment.clock]);
  compute = now;
}

namespace {

/// The record of another program that all ranks of a record's program meet there; -1 for none.
struct Partner {
  int program = -1;
  uint32_t record = 0;
};

/// Messages between the same ranks, with the runs of each that are known where the other begins.
class Teller {
public:
  Teller(const std::vector<ProgramIndex> &programs, const Messages &messages,
         const Episode &episode);
  std::vector<Told> tell() const;

private:
  void record(const ProgramIndex &index, const std::vector<abi::Slot> &slots);
  Partner partnerOf(int program, uint32_t record) const;
  bool havePeersInCommon(int program, uint32_t a, uint32_t b) const;
  int64_t peerOf(int program, uint32_t record, size_t place) const;
  void tellOf(int program, uint32_t reply, Told &told) const;

  const std::vector<ProgramIndex> &programs;
  const Messages &messages;
  /// By program: its messages; by program and message the clocks with which its runs begin.
  std::vector<std::vector<uint32_t>> records;
  std::vector<std::map<uint32_t, std::vector<Clock>>> begins;
};

Teller::Teller(const std::vector<ProgramIndex> &programs, const Messages &messages,
               const Episode &episode)
    : programs(programs), messages(messages), begins(programs.size()) {
  for (const ProgramIndex &index : programs) {
    std::vector<uint32_t> &own = records.emplace_back();
    for (uint32_t r = 0; r < index.records.size(); ++r)
      if (isMessage(*index.records[r]))
        own.push_back(r);
    if (!own.empty())
      record(index, episode.slots[index.number]);
  }
}

void Teller::record(const ProgramIndex &index, const std::vector<abi::Slot> &slots) {
  HappensBefore order(index, nullptr);
  for (const abi::Slot &slot : slots) {
    order.enterSlot(slot);
    for (uint32_t r = index.firstOf[slot.section()]; r < index.firstOf[slot.section() + 1]; ++r) {
      order.enter(r);
      if (isMessage(*index.records[r])) {
        Clock &known = begins[index.number][r].emplace_back(); // of messages only
        for (uint32_t message : records[index.number])
          known.push_back(order.begin()[index.clockOf[message]]);
      }
      order.leave();
    }
  }
}

int64_t Teller::peerOf(int program, uint32_t record, size_t place) const {
  int32_t number = messages.channelOf[program][record][place];
  if (number < 0)
    return -1;
  const Channel &channel = messages.channels[number];
  bool sends = programs[program].records[record]->collective().kind() == abi::SEND;
  return sends ? channel.receiver : channel.sender;
}

Partner Teller::partnerOf(int program, uint32_t record) const {
  Partner partner;
  bool sends = programs[program].records[record]->collective().kind() == abi::SEND;
  for (int32_t number : messages.channelOf[program][record]) {
    if (number < 0)
      return {};
    const Channel &channel = messages.channels[number];
    Partner own{sends ? channel.receiveProgram : channel.sendProgram,
                sends ? channel.receive : channel.send};
    if (partner.program >= 0 && (own.program != partner.program || own.record != partner.record))
      return {};
    partner = own;
  }
  return partner;
}

bool Teller::havePeersInCommon(int program, uint32_t a, uint32_t b) const {
  for (size_t place = 0; place < messages.channelOf[program][a].size(); ++place)
    if (peerOf(program, a, place) != peerOf(program, b, place))
      return false;
  return true;
}

void Teller::tellOf(int program, uint32_t reply, Told &told) const {
  Partner there = partnerOf(program, reply);
  if (there.program < 0)
    return;
  auto known = begins[there.program].find(there.record);
  if (known == begins[there.program].end())
    return;
  const std::vector<uint32_t> &theirs = records[there.program];
  for (uint32_t own : records[program]) {
    Partner side = partnerOf(program, own);
    if (side.program != there.program || !havePeersInCommon(program, own, reply))
      continue;
    size_t place = size_t(std::find(theirs.begin(), theirs.end(), side.record) - theirs.begin());
    for (uint32_t run = 0; run < known->second.size(); ++run)
      told[{reply, run}].push_back({programs[program].clockOf[own], known->second[run][place]});
  }
}

std::vector<Told> Teller::tell() const {
  std::vector<Told> all(programs.size());
  for (size_t p = 0; p < programs.size(); ++p)
    for (uint32_t reply : records[p])
      tellOf(int(p), reply, all[p]);
  return all;
}

} // namespace

std::vector<Told> listTold(const std::vector<ProgramIndex> &programs, const Messages &messages,
                           const Episode &episode) {
  return Teller(programs, messages, episode).tell();
}

} // namespace pcc::check
