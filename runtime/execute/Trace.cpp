// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Trace.h"

#include "runtime/abi/WholeFile.h"

#include <algorithm>
#include <limits>

namespace pcc::runtime {
namespace {

/// A string as JSON writes it.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return result + "\"";
}

} // namespace

std::vector<TraceEntry> Trace::entries() const {
  std::vector<TraceEntry> list;
  for (size_t i = next - std::min(next, ring.size()); i < next; ++i)
    list.push_back(ring[i % ring.size()]);
  return list;
}

Status writeChromeTrace(const std::string &path,
                        const std::vector<std::vector<TraceEntry>> &ranks) {
  int64_t start = std::numeric_limits<int64_t>::max();
  for (const std::vector<TraceEntry> &entries : ranks)
    for (const TraceEntry &entry : entries)
      start = std::min(start, entry.begin);
  std::string text = "[";
  const char *separator = "\n";
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    for (const TraceEntry &entry : ranks[rank]) {
      text += separator;
      text += fmt::format(R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
                          R"("args":{{"step":{},"location":{}}}}})",
                          quoted(entry.record->op()), rank, int(entry.record->lane()),
                          double(entry.begin - start) / 1e3, double(entry.end - entry.begin) / 1e3,
                          entry.step, quoted(entry.record->location()));
      separator = ",\n";
    }
  return abi::writeFile(path, text + "\n]\n");
}

} // namespace pcc::runtime
