// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--cluster=FORM|FILE`: the machine whose times decide; `--link=RATE,LATENCY`: the links between
// its devices, whatever it has.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "tools/pcc/LinkFlag.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace pcc::cli {

class ClusterFlag {
public:
  explicit ClusterFlag(llvm::cl::SubCommand &command);

  /// The machine, complete, with a device for each of `ranks`; absent if no flag is given. With
  /// `--link` alone its devices are those of this machine. BadUsage for a bad short form or link,
  /// BadInput for a bad file, after a message.
  ExitCode read(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  /// The links that `--link` tells; absent without it. BadUsage after a message.
  ExitCode readLink(std::optional<machine::Link> &links) const { return link.read(links); }
  /// The text of `--link`; empty if it was not given.
  const std::string &getLink() const { return link.getText(); }

  /// The name of the first flag that was given, else nothing.
  llvm::StringRef givenFlag() const {
    return text.getNumOccurrences() ? text.ArgStr : link.givenFlag();
  }

private:
  ExitCode readCluster(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  llvm::cl::opt<std::string> text;
  LinkFlag link;
};

} // namespace pcc::cli
