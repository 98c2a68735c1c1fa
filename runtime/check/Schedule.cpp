// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/Schedule.h"

#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"
#include "runtime/check/Neighbours.h"

#include <deque>
#include <map>

namespace pcc::check {
namespace {

class ScheduleMaker {
public:
  ScheduleMaker(const ProgramIndex &index, bool launchesOnly)
      : index(index), launchesOnly(launchesOnly), neighbours(index.executable, index.program),
        runs(index.records.size(), 0), signaller(index.program.events(), -1),
        signallerOf(index.program.events()) {
    schedule.collectives.assign(index.executable.groups_size(), 0);
    messages.assign(index.executable.groups_size(), 0);
    inFlight.resize(index.executable.groups_size());
  }

  void addSlot(const abi::Slot &slot);
  Schedule take() { return std::move(schedule); }

private:
  void addRecord(uint32_t place, const abi::Slot &slot);
  void addWaits(const abi::Record &record, uint64_t number, Item &item) const;
  void limitInFlight(Item &item, bool isFused);
  bool joins(const abi::Record &record) const;
  Call callOf(uint32_t place);

  const ProgramIndex &index;
  const bool launchesOnly;
  const Neighbours neighbours;
  Schedule schedule;
  /// By instruction: number of its runs. By event: the item that signaled it last; -1 for none, and
  /// for instructions that are done when the list passes them.
  std::vector<uint32_t> runs;
  std::vector<int64_t> signaller;
  /// By event: the item that signaled it, by action number.
  std::vector<std::map<uint64_t, int64_t>> signallerOf;
  /// By group: number of started collectives, fused ones counted once. The last items of the
  /// in-flight ones on other streams than COMPUTE, with their numbers.
  std::vector<uint32_t> messages;
  std::vector<std::deque<std::pair<uint32_t, uint32_t>>> inFlight;
  /// The instructions of the last item while neighbors may still join it.
  std::vector<const abi::Record *> open;
};

void ScheduleMaker::addSlot(const abi::Slot &slot) {
  open.clear();
  for (uint32_t place = index.firstOf[slot.section()]; place < index.firstOf[slot.section() + 1];
       ++place)
    addRecord(place, slot);
}

bool ScheduleMaker::joins(const abi::Record &record) const {
  return !open.empty() && isMessage(record) && neighbours.join(open, record);
}

Call ScheduleMaker::callOf(uint32_t place) {
  const abi::Record &record = *index.records[place];
  if (isMessage(record))
    return {place, -1, runs[index.messageOf[place]]++};
  uint32_t group = record.collective().group();
  return {place, int32_t(group), schedule.collectives[group]++};
}

/// Makes an item with a new collective wait for the collectives that exceed `mostInFlight`. A fused
/// collective counts once and is done with its last member.
void ScheduleMaker::limitInFlight(Item &item, bool isFused) {
  const Call &call = item.calls.back();
  if (call.group < 0)
    return;
  std::deque<std::pair<uint32_t, uint32_t>> &older = inFlight[call.group];
  uint32_t own = uint32_t(schedule.items.size()) - 1;
  if (isFused) {
    if (item.lane != abi::COMPUTE)
      older.back().second = own;
    return;
  }
  uint32_t number = messages[call.group]++;
  while (!older.empty() && older.front().first + mostInFlight <= number) {
    item.waits.push_back(older.front().second);
    older.pop_front();
  }
  if (item.lane != abi::COMPUTE)
    older.emplace_back(number, own);
}

void ScheduleMaker::addWaits(const abi::Record &record, uint64_t number, Item &item) const {
  for (int w = 0; w < record.waits_size(); ++w) {
    uint32_t event = record.waits(w), behind = abi::behindOf(record, w);
    int64_t other = signaller[event];
    if (behind > 0) {
      std::optional<uint64_t> awaited = abi::awaitedNumber(behind, number);
      auto known = awaited ? signallerOf[event].find(*awaited) : signallerOf[event].end();
      other = known == signallerOf[event].end() ? -1 : known->second;
    }
    if (other >= 0)
      item.waits.push_back(uint32_t(other));
  }
}

void ScheduleMaker::addRecord(uint32_t place, const abi::Slot &slot) {
  const abi::Record &record = *index.records[place];
  uint64_t number = abi::ringIndex(index.executable.batch(), slot);
  bool meets = record.has_collective() && !(launchesOnly && isMessage(record));
  if (!meets || !joins(record)) {
    Item item{.lane = meets && !launchesOnly ? record.lane() : abi::COMPUTE,
              .slot = slot,
              .record = place};
    if (!launchesOnly)
      addWaits(record, number, item);
    if (meets || !item.waits.empty())
      schedule.items.push_back(std::move(item));
    open.clear();
  }
  if (meets) {
    schedule.items.back().calls.push_back(callOf(place));
    limitInFlight(schedule.items.back(), record.collective().fused());
    open.push_back(&record);
  }
  for (uint32_t event : record.signals())
    signaller[event] = signallerOf[event][number] =
        meets && record.lane() != abi::COMPUTE ? int64_t(schedule.items.size()) - 1 : -1;
}

} // namespace

Schedule makeSchedule(const ProgramIndex &index, const std::vector<abi::Slot> &slots,
                      bool launchesOnly) {
  ScheduleMaker maker(index, launchesOnly);
  for (const abi::Slot &slot : slots)
    maker.addSlot(slot);
  return maker.take();
}

} // namespace pcc::check
