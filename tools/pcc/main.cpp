// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc: compiles a single-device model into the programs of many devices and runs them. This file
// reads the command line and calls the subcommand. An error in pcc itself leaves a script that
// reproduces it.

#include "compiler/import/files/ReadOnnx.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "tools/version/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <unistd.h>

using namespace pcc::cli;
namespace cl = llvm::cl;

static constexpr const char *overview =
    "pcc: compiles a single-device model into the programs of many devices and runs them\n\n"
    "  pcc run model.onnx --data=digits --device-num=8 --parallel-mode=data_parallel\n";

/// Accepts a flag given twice: the later one counts, so that a script's arguments can override its
/// flags.
static void acceptRepeatedFlags(cl::SubCommand &command) {
  for (auto &entry : command.OptionsMap)
    if (entry.second->getNumOccurrencesFlag() == cl::Optional)
      entry.second->setNumOccurrencesFlag(cl::ZeroOrMore);
}

namespace {
/// Script that repeats a command line. It is prepared in advance, because a crash handler must not
/// compute.
struct Reproducer {
  std::string path;
  std::string script;
};
} // namespace

static std::string quoted(llvm::StringRef word) {
  std::string result = "'";
  for (char c : word)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

static void report(void *cookie) {
  const auto &reproducer = *static_cast<const Reproducer *>(cookie);
  std::error_code error;
  llvm::raw_fd_ostream file(reproducer.path, error);
  if (!error)
    file << reproducer.script;
  file.flush();
  llvm::errs() << "pcc: internal error; to reproduce: sh " << reproducer.path << "\n";
  llvm::sys::PrintStackTrace(llvm::errs(), 16);
  _exit(pcc::cli::InternalError);
}

/// Installs a crash handler. It prints one line and the stack, and writes `pcc-crash-PID.sh` to the
/// current folder, a script with the command line of this process.
static void reportInternalErrors(int argc, char **argv) {
  static Reproducer reproducer;
  reproducer.path = "pcc-crash-" + std::to_string(llvm::sys::Process::getProcessId()) + ".sh";
  reproducer.script = "#!/bin/sh\n";
  for (int i = 0; i < argc; ++i)
    reproducer.script += (i ? " " : "") + quoted(argv[i]);
  reproducer.script += "\n";
  llvm::sys::AddSignalHandler(report, &reproducer);
}

static void printVersion(llvm::raw_ostream &os) {
  os << "pcc " << pcc::tools::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

int main(int argc, char **argv) {
  reportInternalErrors(argc, argv);
  pcc::import::reportTruncatedFiles("pcc");
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();

  std::unique_ptr<Subcommand> subcommands[] = {
      makeImportSubcommand(),     makeCompileSubcommand(),   makeRunSubcommand(),
      makeVerifySubcommand(),     makeCheckSubcommand(),     makePlanReshardSubcommand(),
      makeExplainSubcommand(),    makeDiffSubcommand(),      makeDoctorSubcommand(),
      makeExampleSubcommand(),    makeCalibrateSubcommand(), makeSearchSubcommand(),
      makeSimulateSubcommand(),   makeBenchSubcommand(),     makePlanSubcommand(),
      makeCheckpointSubcommand(), makeLaunchSubcommand(),    makeDataSubcommand()};
  for (auto &subcommand : subcommands)
    acceptRepeatedFlags(subcommand->command);
  cl::OptionCategory ownFlags("pcc");
  cl::HideUnrelatedOptions(ownFlags); // the many flags of LLVM's libraries stay valid, but unlisted
  cl::SetVersionPrinter(printVersion);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return BadUsage;
  for (auto &subcommand : subcommands)
    if (subcommand->command)
      return subcommand->run();
  llvm::errs() << "pcc: expected a subcommand: ";
  llvm::ListSeparator separator;
  for (auto &subcommand : subcommands)
    llvm::errs() << separator << subcommand->command.getName();
  llvm::errs() << "; 'pcc --help' describes them\n";
  return BadUsage;
}
