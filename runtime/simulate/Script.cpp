// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/Script.h"

#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"
#include "runtime/check/Neighbours.h"
#include "runtime/machine/RecordPrice.h"

#include <map>

namespace pcc::simulate {

size_t Script::countRuns() const {
  size_t runs = 0;
  for (const abi::Slot &slot : slots)
    runs += firstOf[slot.section() + 1] - firstOf[slot.section()];
  return runs;
}

/// Sets `joins` of messages on COMPUTE that begin together.
static void joinMessages(const check::ProgramIndex &index, Script &script) {
  check::Neighbours neighbours(index.executable, index.program);
  for (size_t section = 0; section + 1 < script.firstOf.size(); ++section) {
    std::vector<const abi::Record *> open;
    for (uint32_t r = script.firstOf[section]; r < script.firstOf[section + 1]; ++r) {
      const abi::Record *record = index.records[r];
      Action &action = script.actions[r];
      if (!action.isMessage() || action.lane != abi::COMPUTE) {
        open.clear();
        continue;
      }
      action.joins = !open.empty() && neighbours.join(open, *record);
      if (!action.joins)
        open.clear();
      open.push_back(record);
    }
  }
}

Script makeScript(const check::ProgramIndex &index, const std::vector<abi::Slot> &slots,
                  const abi::DeviceFigures &device) {
  Script script{.firstOf = index.firstOf,
                .isNumbered = std::vector<bool>(index.program.events(), false),
                .slots = slots};
  for (const abi::Slot &slot : slots)
    script.numbers.push_back(abi::ringIndex(index.executable.batch(), slot));
  std::map<uint32_t, uint32_t> firstOfGroup;
  for (uint32_t r = 0; r < index.records.size(); ++r) {
    const abi::Record &record = *index.records[r];
    Action action{.lane = record.lane(),
                  .counter = index.messageOf[r],
                  .message = index.messageOf[r],
                  .signals = {record.signals().begin(), record.signals().end()}};
    for (int w = 0; w < record.waits_size(); ++w) {
      action.waits.push_back({record.waits(w), abi::behindOf(record, w)});
      if (action.waits.back().behind > 0)
        script.isNumbered[record.waits(w)] = true;
    }
    if (record.has_collective()) {
      action.kind = record.collective().kind();
      if (!check::isMessage(record))
        action.counter = firstOfGroup.try_emplace(record.collective().group(), r).first->second;
    } else {
      action.first = machine::priceRecord(device, index.executable, index.program, record, true);
      action.later = machine::priceRecord(device, index.executable, index.program, record, false);
    }
    script.actions.push_back(std::move(action));
  }
  joinMessages(index, script);
  return script;
}

} // namespace pcc::simulate
