// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link by two figures: a message of S bytes takes latency + S / rate. It joins every two ranks
// alike, and each rank has one of its own. Prices of collectives over it follow from
// CollectivePrice.h with a gap as long as the latency: a rank sends one message after the other.
//
//   10Gbps,20us      1.25e9 bytes a second (bits count in powers of ten), 20e-6 s
//   1.25GB/s,0.02ms  the same

#ifndef PCC_RUNTIME_MACHINE_LINK_H
#define PCC_RUNTIME_MACHINE_LINK_H

#include "runtime/abi/Status.h"
#include "runtime/machine/CollectivePrice.h"

#include <string_view>

namespace pcc::machine {

struct Link {
  double bytesPerSecond = 0;
  double latencySeconds = 0;
};

/// Reads `RATE,LATENCY`: a rate in bps, kbps, Mbps, Gbps, Tbps or in B/s, kB/s, MB/s, GB/s, TB/s, a
/// latency in ns, us, ms or s, both above 0. BadUsage for anything else.
abi::Expected<Link> parseLink(std::string_view text);

/// Joins all devices of `cluster`, which is complete (Cluster.h), by such links, at one level. A
/// measured `collective_share` is what moving bytes takes of the cores: over slower links it
/// shrinks as their rate.
void setLinks(abi::Cluster &cluster, const Link &link);

/// Seconds of a collective of `members` ranks over such links, without a launch.
double priceOverLink(const Link &link, int64_t members, const Traffic &traffic);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_LINK_H
