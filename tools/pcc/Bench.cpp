// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc bench collectives: what collectives of local ranks take, beside what copies allow.

#include "runtime/collective/Communicator.h"
#include "tools/pcc/Columns.h"
#include "tools/pcc/LinkFlag.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Verb.h"
#include "tools/pcc/bench/CollectiveTimes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

constexpr int64_t mostRanks = 64;
/// Of one rank's operand: a multiple of the members of any group, and little enough for 64 of them.
constexpr int64_t leastBytes = 1024, mostBytes = int64_t(1) << 28;

/// "65536", "64K", "32M": of 1024.
bool parseBytes(llvm::StringRef text, int64_t &bytes) {
  int64_t factor = text.consume_back("K") ? 1 << 10 : text.consume_back("M") ? 1 << 20 : 1;
  if (text.getAsInteger(10, bytes) || bytes < 1 || bytes > mostBytes / factor)
    return false;
  bytes *= factor;
  return bytes >= leastBytes;
}

std::string microseconds(double seconds) { return llvm::formatv("{0:f1}", seconds * 1e6); }

class BenchVerb : public Verb {
public:
  BenchVerb()
      : Verb("bench", "times collectives of local ranks"),
        subject(cl::Positional, cl::desc("collectives"), cl::sub(command)),
        ranks("device-num", cl::desc("numbers of ranks (default: 2,4,8)"), cl::value_desc("n,..."),
              cl::CommaSeparated, cl::sub(command)),
        bytes("bytes", cl::desc("of one rank's operand (default: 64K,1M,32M)"),
              cl::value_desc("n,..."), cl::CommaSeparated, cl::sub(command)),
        kinds("kind", cl::desc("which collectives (default: all)"), cl::value_desc("name,..."),
              cl::CommaSeparated, cl::sub(command)),
        link(command, "over such links: 10Gbps,20us"),
        quick("quick", cl::desc("few and short measurements"), cl::sub(command)), format(command) {}

  ExitCode run() override {
    CollectiveTimeOptions options;
    if (ExitCode code = read(options))
      return code;
    llvm::json::Array rows;
    std::vector<std::vector<std::string>> table = {headOf(options)};
    abi::Status status = timeCollectives(options, [&](const CollectiveTime &time) {
      table.push_back(rowOf(time));
      rows.push_back(toJson(time));
    });
    if (!status.ok())
      return fail(RunFailed, status.describe());
    if (format.isJson())
      printJson(
          llvm::json::Object{{"cores", int64_t(std::max(1u, std::thread::hardware_concurrency()))},
                             {"collectives", std::move(rows)}});
    else
      printColumns(table);
    return Success;
  }

private:
  ExitCode read(CollectiveTimeOptions &options) const {
    if (subject != "collectives")
      return fail(BadUsage, "expected 'collectives', got '" + subject + "'");
    for (llvm::StringRef text : listOf(ranks, {"2", "4", "8"})) {
      int count = 0;
      if (text.getAsInteger(10, count) || count < 1 || count > mostRanks)
        return fail(BadUsage,
                    llvm::formatv("'--device-num': expected 1 to {0}, got '{1}'", mostRanks, text));
      options.ranks.push_back(count);
    }
    for (llvm::StringRef text : listOf(bytes, {"64K", "1M", "32M"}))
      if (!parseBytes(text, options.bytes.emplace_back()))
        return fail(BadUsage, "'--bytes': expected 1K to 256M, got '" + text + "'");
    for (llvm::StringRef text : kinds)
      if (ExitCode code = addKind(text, options.kinds))
        return code;
    if (kinds.empty())
      options.kinds.assign(timedKinds().begin(), timedKinds().end());
    if (quick) {
      options.rounds = 1;
      options.secondsPerRound = 0.001;
    }
    return link.read(options.link);
  }

  static std::vector<llvm::StringRef> listOf(const cl::list<std::string> &given,
                                             std::vector<llvm::StringRef> byDefault) {
    return given.empty() ? byDefault : std::vector<llvm::StringRef>(given.begin(), given.end());
  }

  static ExitCode addKind(llvm::StringRef text, std::vector<abi::CollectiveKind> &kinds) {
    std::vector<std::string> names;
    for (abi::CollectiveKind kind : timedKinds()) {
      names.push_back(runtime::collectiveName(kind));
      if (text == names.back()) {
        kinds.push_back(kind);
        return Success;
      }
    }
    return fail(BadUsage,
                "'--kind': expected one of " + llvm::join(names, ", ") + ", got '" + text + "'");
  }

  static std::vector<std::string> headOf(const CollectiveTimeOptions &options) {
    std::vector<std::string> cells = {"collective", "ranks", "bytes",      "us",
                                      "bound us",   "ratio", "copies GB/s"};
    if (options.link)
      cells.push_back("link us");
    return cells;
  }

  static std::vector<std::string> rowOf(const CollectiveTime &time) {
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

  static llvm::json::Object toJson(const CollectiveTime &time) {
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

  cl::opt<std::string> subject;
  cl::list<std::string> ranks, bytes, kinds;
  LinkFlag link;
  cl::opt<bool> quick;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeBenchVerb() { return std::make_unique<BenchVerb>(); }
