// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--cluster=FORM|FILE`: the machine whose times decide.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "tools/pcc/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace pcc::cli {

class ClusterFlag {
public:
  explicit ClusterFlag(llvm::cl::SubCommand &command);

  /// The machine, complete, with a device for each of `ranks`; absent if the flag is not given.
  /// BadUsage for a bad short form, BadInput for a bad file, after a message.
  ExitCode read(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  /// The flag's name if it was given, else nothing.
  llvm::StringRef givenFlag() const { return text.getNumOccurrences() ? text.ArgStr : ""; }

private:
  llvm::cl::opt<std::string> text;
};

} // namespace pcc::cli
