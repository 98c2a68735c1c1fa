// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Support/CommandLine.h"

namespace pcc::cli {

/// Accepts the name that a flag had in the previous release. `--help` does not list it.
class OldName {
public:
  template <size_t size>
  OldName(const char (&name)[size], llvm::cl::Option &flag)
      : alias(name, llvm::cl::desc("former name"), llvm::cl::aliasopt(flag),
              llvm::cl::ReallyHidden) {}

private:
  llvm::cl::alias alias;
};

} // namespace pcc::cli
