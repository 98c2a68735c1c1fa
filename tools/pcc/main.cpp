// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc: compiles a single-device model into the programs of many devices and runs them. This file
// reads the command line and calls the subcommand.

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "tools/pcc/InternalError.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "tools/version/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

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

static void printVersion(llvm::raw_ostream &os) {
  os << "pcc " << pcc::tools::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

int main(int argc, char **argv) {
  reportInternalErrors(argc, argv);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();

  std::unique_ptr<Subcommand> subcommands[] = {
      makeImportSubcommand(),   makeCompileSubcommand(),   makeRunSubcommand(),
      makeVerifySubcommand(),   makeCheckSubcommand(),     makePlanReshardSubcommand(),
      makeExplainSubcommand(),  makeDiffSubcommand(),      makeDoctorSubcommand(),
      makeExampleSubcommand(),  makeCalibrateSubcommand(), makeSearchSubcommand(),
      makeSimulateSubcommand(), makeBenchSubcommand()};
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
