// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--cluster=FORM|FILE`: the machine whose times decide. `--link=RATE,LATENCY`: links that replace
// those between its devices.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "tools/pcc/flags/LinkFlag.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace pcc::cli {

class ClusterFlag {
public:
  explicit ClusterFlag(llvm::cl::SubCommand &command);

  /// Sets `cluster` to the complete machine, which has a device for each of `ranks`; leaves it
  /// absent if no flag is given. With `--link` alone the devices are those of this machine. Returns
  /// BadUsage for a bad short form or link and BadInput for a bad file, after an error message.
  ExitCode read(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  /// Reads the links of `--link`; leaves `link` absent without the flag. Returns BadUsage after an
  /// error message.
  ExitCode readLink(std::optional<machine::Link> &links) const { return link.read(links); }
  /// Returns the text of `--link`; empty if the flag was not given.
  const std::string &getLink() const { return link.getText(); }

  /// Returns the name of the first flag that was given, else an empty string.
  llvm::StringRef givenFlag() const {
    return text.getNumOccurrences() ? text.ArgStr : link.givenFlag();
  }

private:
  ExitCode readCluster(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  llvm::cl::opt<std::string> text;
  LinkFlag link;
};

} // namespace pcc::cli
