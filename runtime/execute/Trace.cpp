// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Trace.h"

#include "runtime/abi/ChromeTrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pcc::runtime {

std::vector<TraceEntry> Trace::entries() const {
  std::vector<TraceEntry> list;
  for (size_t i = next - std::min(next, ring.size()); i < next; ++i)
    list.push_back(ring[i % ring.size()]);
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
      trace->addRecord(rank, *entry.record, entry.step, double(entry.begin - start) / 1e3,
                       double(entry.end - entry.begin) / 1e3);
  }
  return trace->finish();
}

} // namespace pcc::runtime
