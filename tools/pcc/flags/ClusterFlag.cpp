// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ending of the value tells a file from a short form. Links replace those of the completed
// machine, so they override both.
#include "tools/pcc/flags/ClusterFlag.h"

#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/MessageFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/StringExtras.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

static constexpr const char *linkValue = "rate,latency";

LinkFlag::LinkFlag(cl::SubCommand &command, const char *help)
    : info{.name = "link", .help = help, .valueName = linkValue},
      flags(command, abi::ClusterConfig::descriptor(), {&info, 1}) {}

/// Reads the links that `flags` select; leaves `link` absent without the option.
static ExitCode readLinks(const MessageFlags &flags,
                          std::optional<pcc::machine::UniformLink> &link) {
  if (!flags.has("link"))
    return Success;
  pcc::abi::ClusterConfig config;
  if (ExitCode code = flags.read(config))
    return code;
  auto given = pcc::machine::parseLink(config.link());
  if (!given)
    return flags.refuse("link", given.status().message());
  link = *given;
  return Success;
}

ExitCode LinkFlag::read(std::optional<machine::UniformLink> &link) const {
  return readLinks(flags, link);
}

static constexpr FieldInfo clusterFields[] = {
    {.name = "cluster",
     .help = "machine for cost estimates: 8xcpu, 2x8xH100, or a .textproto, .yaml or .json",
     .valueName = "form|file"},
    {.name = "link",
     .help = "links between the devices, as in 10Gbps,20us",
     .valueName = linkValue},
};

ClusterFlag::ClusterFlag(cl::SubCommand &command, const OptionsFile *file)
    : flags(command, abi::ClusterConfig::descriptor(), clusterFields, file) {}

ExitCode ClusterFlag::readLink(std::optional<machine::UniformLink> &link) const {
  return readLinks(flags, link);
}

ExitCode ClusterFlag::read(int64_t ranks, std::optional<abi::Cluster> &cluster) const {
  if (ExitCode code = readCluster(ranks, cluster))
    return code;
  std::optional<machine::UniformLink> links;
  if (ExitCode code = readLink(links))
    return code;
  if (!links)
    return Success;
  if (!cluster)
    cluster = *machine::parseCluster("", ranks);
  machine::setLinks(*cluster, *links);
  return Success;
}

ExitCode ClusterFlag::readCluster(int64_t ranks, std::optional<abi::Cluster> &cluster) const {
  if (!hasCluster())
    return Success;
  abi::ClusterConfig config;
  if (ExitCode code = flags.read(config))
    return code;
  abi::Cluster complete;
  if (ExitCode code = readMachine(config.cluster(), ranks, complete, [&](const std::string &text) {
        return flags.refuse("cluster", text);
      }))
    return code;
  cluster = std::move(complete);
  return Success;
}

ExitCode pcc::cli::readMachine(const std::string &value, int64_t ranks, abi::Cluster &cluster,
                               llvm::function_ref<ExitCode(const std::string &)> refuse) {
  bool isFile = hasMessageSuffix(value);
  abi::Cluster given;
  if (isFile)
    if (ExitCode code = readMessageFile(value, given))
      return code;
  abi::Expected<abi::Cluster> complete =
      isFile ? machine::complete(given) : machine::parseForm(value);
  abi::Status status = complete ? machine::checkRanks(*complete, ranks) : complete.status();
  if (!status.ok())
    return isFile ? fail(BadInput, value + ": " + status.message()) : refuse(status.message());
  cluster = std::move(*complete);
  return Success;
}
