// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries are numbered in the order of their addition; the number modulo the capacity is the
// position in the ring. settle() stops at the first entry that the device has not finished.

#include "runtime/execute/observe/Trace.h"

#include "runtime/abi/files/ChromeTrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pcc::runtime {

TracePoint Trace::now(Device &device) const {
  if (!isOn())
    return {};
  TimestampHandle mark = device.mark();
  return {mark ? 0 : nowNanoseconds(), mark};
}

void Trace::add(const abi::Instruction &instruction, int64_t step, TracePoint begin,
                TracePoint end) {
  std::vector<TimestampSpan> timestampSpans;
  if (begin.mark && end.mark)
    timestampSpans.push_back({std::move(begin.mark), std::move(end.mark)});
  add({&instruction, step, begin.time, end.time}, std::move(timestampSpans));
}

void Trace::add(const TraceEntry &entry, std::vector<TimestampSpan> timestampSpans) {
  if (isOn())
    ring[next++ % ring.size()] = {entry, std::move(timestampSpans)};
}

/// Resolves the entry's times. Returns whether the device has finished the entry.
Expected<bool> Trace::settle(RingEntry &ringEntry) {
  int64_t earliest = std::numeric_limits<int64_t>::max(), latest = 0;
  for (const TimestampSpan &span : ringEntry.timestampSpans)
    for (const TimestampHandle &mark : {span.end, span.begin}) {
      Expected<std::optional<int64_t>> time = mark->time();
      if (!time)
        return time.status();
      if (!*time)
        return false;
      earliest = std::min(earliest, **time);
      latest = std::max(latest, **time);
    }
  if (!ringEntry.timestampSpans.empty()) {
    ringEntry.entry.begin = earliest;
    ringEntry.entry.end = latest;
    ringEntry.timestampSpans.clear();
  }
  return true;
}

Status Trace::settle() {
  for (open = std::max(open, first()); open < next; ++open)
    if (Expected<bool> isDone = settle(ring[open % ring.size()]); !isDone || !*isDone)
      return isDone.status();
  return {};
}

Expected<std::vector<TraceEntry>> Trace::entries() {
  if (Status status = settle(); !status.ok())
    return status;
  std::vector<TraceEntry> list;
  for (size_t i = first(); i < open; ++i)
    list.push_back(ring[i % ring.size()].entry);
  return list;
}

Status writeChromeTrace(const std::string &path, const std::vector<std::vector<TraceEntry>> &ranks,
                        int64_t first) {
  int64_t start = std::numeric_limits<int64_t>::max();
  for (const std::vector<TraceEntry> &entries : ranks)
    for (const TraceEntry &entry : entries)
      start = std::min(start, entry.begin);
  Expected<abi::ChromeTrace> trace = abi::ChromeTrace::create(path);
  if (!trace)
    return trace.status();
  for (size_t i = 0; i < ranks.size(); ++i) {
    int64_t rank = first + int64_t(i);
    trace->addRank(rank, fmt::format("rank {}", rank));
    for (const TraceEntry &entry : ranks[i])
      trace->addInstruction(rank, *entry.instruction, entry.step, double(entry.begin - start) / 1e3,
                            double(entry.end - entry.begin) / 1e3);
  }
  return trace->finish();
}

} // namespace pcc::runtime
