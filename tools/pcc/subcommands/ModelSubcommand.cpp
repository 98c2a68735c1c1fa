// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/subcommands/ModelSubcommand.h"

#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;

ExitCode ModelSubcommand::run() {
  if (ExitCode code = compileFlags.readConfig())
    return code;
  ExitCode code = runModel();
  llvm::StringRef file = compileFlags.getFile().getPath();
  if (code == BadUsage && !file.empty())
    llvm::errs() << "pcc: note: options that are not on the command line come from '" << file
                 << "'\n";
  return code;
}
