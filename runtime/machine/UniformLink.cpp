// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a cluster of one level from the link, so that the formulas of CollectiveCost.h apply
// unchanged.

#include "runtime/machine/UniformLink.h"

#include "runtime/machine/Amount.h"
#include "runtime/machine/BuiltIn.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"

#include <fmt/format.h>

#include <algorithm>

namespace pcc::machine {
namespace {

constexpr Unit rateUnits[] = {
    {"bps", 1e0 / 8}, {"kbps", 1e3 / 8}, {"Mbps", 1e6 / 8}, {"Gbps", 1e9 / 8}, {"Tbps", 1e12 / 8},
    {"B/s", 1e0},     {"kB/s", 1e3},     {"MB/s", 1e6},     {"GB/s", 1e9},     {"TB/s", 1e12}};
constexpr Unit timeUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1e0}};

} // namespace

abi::Expected<UniformLink> parseLink(std::string_view text) {
  size_t comma = text.find(',');
  UniformLink link;
  if (comma != std::string_view::npos)
    link = {parseAmount(text.substr(0, comma), rateUnits),
            parseAmount(text.substr(comma + 1), timeUnits)};
  if (link.bytesPerSecond <= 0 || link.latencySeconds <= 0)
    return abi::Status::badUsage(
        fmt::format("expected RATE,LATENCY, as in 10Gbps,20us or 1.25GB/s,20us, got '{}'", text));
  return link;
}

/// Scales the collective share by the link's rate: cores spend a fixed time on moving the bytes,
/// however long the link takes.
static void spreadShare(abi::Cluster &cluster, const UniformLink &link) {
  abi::Figure &share = *cluster.mutable_device()->mutable_collective_share();
  double known = linkRate(cluster.level(0).figures());
  share.set_value(share.value() * std::min(1.0, link.bytesPerSecond / known));
}

void setLinks(abi::Cluster &cluster, const UniformLink &link) {
  if (cluster.device().collective_share().source() == abi::MEASURED && cluster.level_size() > 0)
    spreadShare(cluster, link);
  int64_t devices = countDevices(cluster);
  cluster.clear_form(); // the form defines other levels
  cluster.clear_level();
  abi::TopologyLevel &level = *cluster.add_level();
  level.set_count(devices);
  abi::LinkFigures &figures = *level.mutable_figures();
  *figures.mutable_bytes_per_second() = makeFigure(link.bytesPerSecond, abi::ASSUMED);
  *figures.mutable_latency_seconds() = makeFigure(link.latencySeconds, abi::ASSUMED);
  *figures.mutable_gap_seconds() = makeFigure(link.latencySeconds, abi::ASSUMED);
}

double estimateLinkCost(const UniformLink &link, int64_t members, const Traffic &traffic) {
  abi::Cluster cluster;
  cluster.add_level()->set_count(members);
  setLinks(cluster, link);
  return estimateCollectiveCost(cluster, {members, {members}}, traffic).seconds;
}

} // namespace pcc::machine
