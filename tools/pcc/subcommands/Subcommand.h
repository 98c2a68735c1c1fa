// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subcommand of the command line: `pcc SUBCOMMAND …`. Each subcommand is one file. Its flags are
// members of its class, so that they exist only while the command line is read.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <memory>

namespace pcc::cli {

class Subcommand {
public:
  Subcommand(llvm::StringRef name, llvm::StringRef help) : command(name, help) {}
  virtual ~Subcommand() = default;

  /// Runs the subcommand after its flags have been read. Prints the reason before it returns a
  /// failure.
  virtual ExitCode run() = 0;

  llvm::cl::SubCommand command;
};

std::unique_ptr<Subcommand> makeImportSubcommand();
std::unique_ptr<Subcommand> makeCompileSubcommand();
std::unique_ptr<Subcommand> makeRunSubcommand();
std::unique_ptr<Subcommand> makeVerifySubcommand();
std::unique_ptr<Subcommand> makeCheckSubcommand();
std::unique_ptr<Subcommand> makePlanSubcommand();
std::unique_ptr<Subcommand> makePlanReshardSubcommand();
std::unique_ptr<Subcommand> makeExplainSubcommand();
std::unique_ptr<Subcommand> makeCalibrateSubcommand();
std::unique_ptr<Subcommand> makeBenchSubcommand();
std::unique_ptr<Subcommand> makeCheckpointSubcommand();
std::unique_ptr<Subcommand> makeDataSubcommand();
std::unique_ptr<Subcommand> makeDiffSubcommand();
std::unique_ptr<Subcommand> makeDoctorSubcommand();
std::unique_ptr<Subcommand> makeExampleSubcommand();
std::unique_ptr<Subcommand> makeLaunchSubcommand();
std::unique_ptr<Subcommand> makeSearchSubcommand();
std::unique_ptr<Subcommand> makeSimulateSubcommand();

} // namespace pcc::cli
