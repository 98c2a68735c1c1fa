// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link with two figures: a message of S bytes takes latency + S / rate. It connects every pair of
// ranks, and each rank has a link of its own. Costs of collectives follow from CollectiveCost.h
// with a gap equal to the latency: a rank sends one message after the other.
//
//   10Gbps,20us      1.25e9 bytes a second (bits count in powers of ten), 20e-6 s
//   1.25GB/s,0.02ms  the same

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/machine/CollectiveCost.h"

#include <string_view>

namespace pcc::machine {

struct UniformLink {
  double bytesPerSecond = 0;
  double latencySeconds = 0;
};

/// Reads `RATE,LATENCY`: a rate in bps, kbps, Mbps, Gbps, Tbps or in B/s, kB/s, MB/s, GB/s, TB/s, a
/// latency in ns, us, ms or s, both above 0. BadUsage for anything else.
abi::Expected<UniformLink> parseLink(std::string_view text);

/// Connects all devices of `cluster` by such links, at one level. `cluster` must be complete
/// (Cluster.h). A measured `collective_share` is the fraction of the cores that moving bytes takes;
/// over slower links it shrinks in proportion to their rate.
void setLinks(abi::Cluster &cluster, const UniformLink &link);

/// Returns the seconds of a collective of `members` ranks over such links, without a launch.
double estimateLinkCost(const UniformLink &link, int64_t members, const Traffic &traffic);

} // namespace pcc::machine
