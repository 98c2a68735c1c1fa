// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/subcommands/ModelSubcommand.h"

#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;

ExitCode ModelSubcommand::run() {
  if (ExitCode code = compileFlags.readConfig())
    return code; // its error names the file
  ExitCode code = runModel();
  llvm::StringRef file = compileFlags.getFile().getPath();
  if (code == BadUsage && !file.empty())
    llvm::errs() << "pcc: note: '" << file << "' also sets options\n";
  return code;
}
