// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank did last: a ring of bounded size, written by the rank's thread, and read by others
// when the rank is not running.

#ifndef PCC_RUNTIME_EXECUTE_TRACE_H
#define PCC_RUNTIME_EXECUTE_TRACE_H

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// One record's run. Times are those of nowNanoseconds().
struct TraceEntry {
  const abi::Record *record = nullptr;
  int64_t step = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

class Trace {
public:
  explicit Trace(size_t capacity) : ring(capacity) {}

  void add(const TraceEntry &entry) { ring[next++ % ring.size()] = entry; }

  /// The entries that are still there, oldest first.
  std::vector<TraceEntry> entries() const;

private:
  std::vector<TraceEntry> ring;
  size_t next = 0;
};

/// Writes the traces of ranks, from `first` on, as abi::ChromeTrace says.
Status writeChromeTrace(const std::string &path, const std::vector<std::vector<TraceEntry>> &ranks,
                        int64_t first = 0);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_TRACE_H
