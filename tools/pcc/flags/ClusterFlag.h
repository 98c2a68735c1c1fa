// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--cluster=FORM|FILE`: the machine for cost estimates. `--link=RATE,LATENCY`: links that replace
// those between its devices.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/compile.pb.h"
#include "runtime/machine/UniformLink.h"
#include "tools/pcc/flags/MessageFlags.h"
#include "tools/pcc/report/ExitCode.h"
#include <optional>

namespace pcc::cli {

/// `--link=RATE,LATENCY`: links between ranks (runtime/machine/UniformLink.h).
class LinkFlag {
public:
  /// `help` says which links the flag describes.
  LinkFlag(llvm::cl::SubCommand &command, const char *help);

  /// Reads the links; leaves `link` absent if the flag is not given. Returns BadUsage after an
  /// error message.
  ExitCode read(std::optional<machine::UniformLink> &link) const;

private:
  FieldInfo info;
  MessageFlags flags;
};

/// `--cluster=FORM|FILE` and `--link`, as flags or in the file of options.
class ClusterFlag {
public:
  /// `file` may be null.
  explicit ClusterFlag(llvm::cl::SubCommand &command, const OptionsFile *file = nullptr);

  /// Reads both texts. Returns BadUsage or BadInput after an error message.
  ExitCode readConfig(abi::ClusterConfig &config) const { return flags.read(config); }

  /// Sets `cluster` to the complete machine, which has a device for each of `ranks`; leaves it
  /// absent if neither option is given. With `--link` alone the devices are those of this machine.
  /// Returns BadUsage for a bad short form or link and BadInput for a bad file, after an error
  /// message.
  ExitCode read(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  /// Reads the links of `--link`; leaves `link` absent without the flag. Returns BadUsage after an
  /// error message.
  ExitCode readLink(std::optional<machine::UniformLink> &link) const;

  /// Returns whether `--cluster` is given.
  bool hasCluster() const { return flags.has("cluster"); }

  /// The options, to tell which of them are given.
  const MessageFlags &getFlags() const { return flags; }

private:
  ExitCode readCluster(int64_t ranks, std::optional<abi::Cluster> &cluster) const;

  MessageFlags flags;
};

/// Reads a machine by a short form, or by a file if the ending says so, and checks that it has a
/// device for each of `ranks`. Returns what `refuse` makes of the error of a short form, or
/// BadInput for a bad file, after an error message.
ExitCode readMachine(const std::string &value, int64_t ranks, abi::Cluster &cluster,
                     llvm::function_ref<ExitCode(const std::string &)> refuse);

} // namespace pcc::cli
