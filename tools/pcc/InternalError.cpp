// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/InternalError.h"

#include "tools/pcc/ExitCode.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <unistd.h>

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

void pcc::cli::reportInternalErrors(int argc, char **argv) {
  static Reproducer reproducer;
  reproducer.path = "pcc-crash-" + std::to_string(llvm::sys::Process::getProcessId()) + ".sh";
  reproducer.script = "#!/bin/sh\n";
  for (int i = 0; i < argc; ++i)
    reproducer.script += (i ? " " : "") + quoted(argv[i]);
  reproducer.script += "\n";
  llvm::sys::AddSignalHandler(report, &reproducer);
}
