// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler tells a shortened file (BUS_ADRERR) from other causes of SIGBUS, which go to the
// handler that was installed before.
#include "compiler/import/files/ReadOnnx.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace {
const char *toolName = "";
struct sigaction previous;

void write(const char *text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

void handle(int, siginfo_t *info, void *) {
  if (info->si_code == BUS_ADRERR) {
    write(toolName);
    write(": error: a file became shorter while it was read; run the command again\n");
    _exit(1);
  }
  sigaction(SIGBUS, &previous, nullptr); // the access that failed is repeated
}
} // namespace

void pcc::import::reportTruncatedFiles(const char *tool) {
  toolName = tool;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, &previous);
}
