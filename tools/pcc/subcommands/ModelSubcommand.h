// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subcommand that compiles a model, with the options of the command line and of a file.
#pragma once

#include "tools/pcc/flags/CompileFlags.h"
#include "tools/pcc/subcommands/Subcommand.h"

namespace pcc::cli {

class ModelSubcommand : public Subcommand {
public:
  ModelSubcommand(llvm::StringRef name, llvm::StringRef help, ModelUse use = ModelUse::Required)
      : Subcommand(name, help), compileFlags(command, use) {}

  /// Reads the file of options, if one is given, and calls runModel(). After a wrong option, tells
  /// that it may come from that file.
  ExitCode run() final;

protected:
  /// Runs the subcommand. Prints the reason before it returns a failure.
  virtual ExitCode runModel() = 0;

  CompileFlags compileFlags;
};

} // namespace pcc::cli
