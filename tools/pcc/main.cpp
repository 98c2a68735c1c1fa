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
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

static constexpr const char *overview =
    "pcc: from a single-device model to the programs of many devices\n\n"
    "  pcc run model.onnx --data=digits --device-num=8 --parallel-mode=data_parallel\n";

/// Accepts a flag given twice: the later one counts, so that a script's arguments can override its
/// flags.
static void acceptRepeatedFlags(cl::SubCommand &command) {
  for (auto &entry : command.OptionsMap)
    if (entry.second->getNumOccurrencesFlag() == cl::Optional)
      entry.second->setNumOccurrencesFlag(cl::ZeroOrMore);
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
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return BadUsage;
  for (auto &subcommand : subcommands)
    if (subcommand->command)
      return subcommand->run();
  llvm::errs()
      << "pcc: expected a subcommand: import, compile, run, verify, check, plan-reshard, search, "
         "simulate, explain, "
         "diff, calibrate, bench or doctor; 'pcc --help' tells more\n";
  return BadUsage;
}
