// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ending of the value tells a file from a short form. Links replace those of the completed
// machine, so they override both.
#include "tools/pcc/flags/ClusterFlag.h"

#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/ConfigFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/StringExtras.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

LinkFlag::LinkFlag(cl::SubCommand &command, llvm::StringRef help)
    : text("link", cl::desc(help), cl::value_desc("rate,latency"), cl::sub(command)) {}

ExitCode LinkFlag::read(std::optional<machine::UniformLink> &link) const {
  if (!text.getNumOccurrences())
    return Success;
  abi::Expected<machine::UniformLink> given = machine::parseLink(text.getValue());
  if (!given)
    return fail(BadUsage, "'--link': " + given.status().message());
  link = *given;
  return Success;
}

ClusterFlag::ClusterFlag(cl::SubCommand &command)
    : text("cluster",
           cl::desc("machine for cost estimates: 8xcpu, 2x8xH100, or a .textproto or .json"),
           cl::value_desc("form|file"), cl::sub(command)),
      link(command, "links between the devices, as in 10Gbps,20us") {}

ExitCode ClusterFlag::read(int64_t ranks, std::optional<abi::Cluster> &cluster) const {
  if (ExitCode code = readCluster(ranks, cluster))
    return code;
  std::optional<machine::UniformLink> links;
  if (ExitCode code = link.read(links))
    return code;
  if (!links)
    return Success;
  if (!cluster)
    cluster = *machine::parseCluster("", ranks);
  machine::setLinks(*cluster, *links);
  return Success;
}

ExitCode ClusterFlag::readCluster(int64_t ranks, std::optional<abi::Cluster> &cluster) const {
  if (!text.getNumOccurrences())
    return Success;
  llvm::StringRef value = text;
  bool isFile = value.ends_with(".textproto") || value.ends_with(".json");
  abi::Cluster given;
  if (isFile)
    if (ExitCode code = readConfigFile(value, given))
      return code;
  abi::Expected<abi::Cluster> complete =
      isFile ? machine::complete(given) : machine::parseForm(text.getValue());
  abi::Status status = complete ? machine::checkRanks(*complete, ranks) : complete.status();
  if (!status.ok())
    return fail(isFile ? BadInput : BadUsage,
                (isFile ? value : "'--cluster'") + ": " + status.message());
  cluster = std::move(*complete);
  return Success;
}
