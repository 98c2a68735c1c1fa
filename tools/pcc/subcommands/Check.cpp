// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc check: runs the static checker on a program.

#include "runtime/check/Check.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/RankExpression.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace pcc::cli;
namespace abi = pcc::abi;
namespace check = pcc::check;
namespace cl = llvm::cl;

namespace {

class CheckSubcommand : public Subcommand {
public:
  CheckSubcommand()
      : Subcommand("check",
                   "proves that the ranks of a program match, cannot deadlock and read the "
                   "intended data"),
        path(cl::Positional, cl::desc("PROGRAM"), cl::sub(command)),
        limit("memory-limit", cl::desc("memory limit of a rank in bytes (default: 0, no limit)"),
              cl::value_desc("bytes"), cl::init(0), cl::sub(command)),
        format(command) {}

  ExitCode run() override {
    if (path.empty())
      return fail(BadUsage, "expected a program (.pcx)");
    auto program = abi::readExecutable(path);
    if (!program)
      return fail(ExitCode(program.status().exitCode()), program.status().describe());
    auto begin = std::chrono::steady_clock::now();
    abi::Status proof = check::prove(*program, {.memoryLimit = limit});
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (!proof.ok())
      return fail(BadInput, std::move(proof).within(path).describe());
    if (abi::Status status = checkData(*program); !status.ok())
      return fail(BadInput, status.describe());
    print(*program, seconds.count());
    return Success;
  }

private:
  /// Checks the fingerprints of the data, which other readers check as far as they need them.
  static abi::Status checkData(const abi::Executable &program) {
    abi::Expected<abi::DataReader> reader = abi::DataReader::open(program);
    return reader ? reader->checkAll() : reader.status();
  }

  void print(const abi::Executable &program, double seconds) const {
    int64_t ranks = abi::rankCount(program.mesh());
    std::vector<uint64_t> peaks = check::peakBytes(program);
    bool states = llvm::all_of(program.programs(), abi::hasDataflow);
    if (format.isJson()) {
      llvm::json::Array bytes;
      for (uint64_t peak : peaks)
        bytes.push_back(int64_t(peak));
      return printJson(llvm::json::Object{{"ranks", ranks},
                                          {"states_dataflow", states},
                                          {"peak_bytes", std::move(bytes)},
                                          {"seconds", seconds}});
    }
    llvm::outs() << llvm::formatv("{0}: proved for {1} rank{2}{3}\n", path, ranks,
                                  ranks == 1 ? "" : "s",
                                  states ? "" : ", without dataflow annotations");
    for (size_t p = 0; p < peaks.size(); ++p)
      llvm::outs() << llvm::formatv("stage {0}: {1} bytes per rank\n", p, peaks[p]);
    llvm::outs().flush();
  }

  cl::opt<std::string> path;
  cl::opt<uint64_t> limit;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeCheckSubcommand() {
  return std::make_unique<CheckSubcommand>();
}
