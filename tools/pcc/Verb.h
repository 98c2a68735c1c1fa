// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subcommand of the command line: `pcc SUBCOMMAND …`. Each subcommand is one file. Its flags are
// members of its class, so that they exist only while the command line is read.
#pragma once

#include "tools/pcc/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <memory>

namespace pcc::cli {

class Verb {
public:
  Verb(llvm::StringRef name, llvm::StringRef help) : command(name, help) {}
  virtual ~Verb() = default;

  /// Runs the subcommand after its flags have been read. Prints the reason before it returns a
  /// failure.
  virtual ExitCode run() = 0;

  llvm::cl::SubCommand command;
};

std::unique_ptr<Verb> makeImportVerb();
std::unique_ptr<Verb> makeCompileVerb();
std::unique_ptr<Verb> makeRunVerb();
std::unique_ptr<Verb> makeVerifyVerb();
std::unique_ptr<Verb> makeCheckVerb();
std::unique_ptr<Verb> makePlanReshardVerb();
std::unique_ptr<Verb> makeExplainVerb();
std::unique_ptr<Verb> makeCalibrateVerb();
std::unique_ptr<Verb> makeBenchVerb();
std::unique_ptr<Verb> makeDiffVerb();
std::unique_ptr<Verb> makeDoctorVerb();
std::unique_ptr<Verb> makeExampleVerb();
std::unique_ptr<Verb> makeSearchVerb();
std::unique_ptr<Verb> makeSimulateVerb();

} // namespace pcc::cli
