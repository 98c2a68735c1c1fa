// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--link=RATE,LATENCY`: links between ranks (runtime/machine/Link.h).
#pragma once

#include "runtime/machine/Link.h"
#include "tools/pcc/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace pcc::cli {

class LinkFlag {
public:
  /// `help` says whose links they are.
  LinkFlag(llvm::cl::SubCommand &command, llvm::StringRef help);

  /// The links; absent if the flag is not given. BadUsage after a message.
  ExitCode read(std::optional<machine::Link> &link) const;

  /// What the flag says; empty if it is not given.
  const std::string &getText() const { return text; }
  /// The flag's name if it was given, else nothing.
  llvm::StringRef givenFlag() const { return text.getNumOccurrences() ? text.ArgStr : ""; }

private:
  llvm::cl::opt<std::string> text;
};

} // namespace pcc::cli
