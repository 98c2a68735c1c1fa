// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--cluster=FORM|FILE`: the machine for cost estimates. `--link=RATE,LATENCY`: links that replace
// those between its devices.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/machine/UniformLink.h"
#include "tools/pcc/report/ExitCode.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace pcc::cli {

/// `--link=RATE,LATENCY`: links between ranks (runtime/machine/UniformLink.h).
class LinkFlag {
public:
  /// `help` says which links the flag describes.
  LinkFlag(llvm::cl::SubCommand &command, llvm::StringRef help);

  /// Reads the links; leaves `link` absent if the flag is not given. Returns BadUsage after an
  /// error message.
  ExitCode read(std::optional<machine::UniformLink> &link) const;

  /// Returns the flag's value; empty if it is not given.
  const std::string &getText() const { return text; }
  /// Returns the flag's name if it was given, else an empty string.
  llvm::StringRef givenFlag() const { return text.getNumOccurrences() ? text.ArgStr : ""; }

private:
  llvm::cl::opt<std::string> text;
};

/// `--cluster=FORM|FILE` and `--link`.
class ClusterFlag {
public:
  explicit ClusterFlag(llvm::cl::SubCommand &command);

  /// Sets `cluster` to the complete machine, which has a device for each of `ranks`; leaves it
  /// absent if no flag is given. With `--link` alone the devices are those of this machine. Returns
  /// BadUsage for a bad short form or link and BadInput for a bad file, after an error message.
  ExitCode read(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  /// Reads the links of `--link`; leaves `link` absent without the flag. Returns BadUsage after an
  /// error message.
  ExitCode readLink(std::optional<machine::UniformLink> &links) const { return link.read(links); }
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
