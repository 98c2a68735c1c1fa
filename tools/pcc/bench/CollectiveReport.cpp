// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/bench/CollectiveReport.h"

#include "runtime/collective/Communicator.h"
#include "llvm/Support/FormatVariadic.h"

namespace pcc::cli {

static std::string microseconds(double seconds) { return llvm::formatv("{0:f1}", seconds * 1e6); }

std::vector<std::string> timeColumns(const CollectiveTimeOptions &options) {
  std::vector<std::string> cells = {"collective", "ranks", "bytes",      "us",
                                    "bound us",   "ratio", "copies GB/s"};
  if (options.link)
    cells.push_back("link us");
  return cells;
}

std::vector<std::string> timeRow(const CollectiveTime &time) {
  std::vector<std::string> cells = {runtime::collectiveName(time.kind),
                                    std::to_string(time.ranks),
                                    std::to_string(time.bytes),
                                    microseconds(time.seconds),
                                    microseconds(time.boundSeconds),
                                    llvm::formatv("{0:f2}", time.seconds / time.boundSeconds),
                                    llvm::formatv("{0:f1}", time.copyRate / 1e9)};
  if (time.linkSeconds > 0)
    cells.push_back(microseconds(time.linkSeconds));
  return cells;
}

llvm::json::Object toJson(const CollectiveTime &time) {
  llvm::json::Object row{{"kind", runtime::collectiveName(time.kind)},
                         {"ranks", time.ranks},
                         {"bytes", time.bytes},
                         {"seconds", time.seconds},
                         {"bound_seconds", time.boundSeconds},
                         {"copy_bytes_per_second", time.copyRate}};
  if (time.linkSeconds > 0)
    row["link_seconds"] = time.linkSeconds;
  return row;
}

} // namespace pcc::cli
