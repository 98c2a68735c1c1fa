// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--link=RATE,LATENCY`: links between ranks (runtime/machine/Link.h).
#pragma once

#include "runtime/machine/Link.h"
#include "tools/pcc/report/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace pcc::cli {

class LinkFlag {
public:
  /// `help` says which links the flag describes.
  LinkFlag(llvm::cl::SubCommand &command, llvm::StringRef help);

  /// Reads the links; leaves `link` absent if the flag is not given. Returns BadUsage after an
  /// error message.
  ExitCode read(std::optional<machine::Link> &link) const;

  /// Returns the flag's value; empty if it is not given.
  const std::string &getText() const { return text; }
  /// Returns the flag's name if it was given, else an empty string.
  llvm::StringRef givenFlag() const { return text.getNumOccurrences() ? text.ArgStr : ""; }

private:
  llvm::cl::opt<std::string> text;
};

} // namespace pcc::cli
