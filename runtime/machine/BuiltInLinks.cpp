// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists links as rows: latency and gap in seconds, bandwidth in bytes per second, one way. The gap
// is that of the LogP model: the minimum time between the starts of two consecutive messages of one
// sender. For the torus of a TPU, whose collectives use both directions of a ring, the bandwidth is
// the sum of both.

#include "runtime/machine/BuiltIn.h"

namespace pcc::machine {
namespace {

using namespace abi;

struct LinkRow {
  const char *name;
  Figure latency, gap, bandwidth;
  /// Reached fraction of the bandwidth; absent: 1.
  Figure reached;
  /// Allowed algorithms; empty: all.
  std::vector<CollectiveAlgorithm> algorithms = {};
};

LinkFigures makeFigures(const LinkRow &row) {
  LinkFigures link;
  *link.mutable_latency_seconds() = row.latency;
  *link.mutable_gap_seconds() = row.gap;
  *link.mutable_bytes_per_second() = row.bandwidth;
  if (row.reached.has_value())
    *link.mutable_reached_share() = row.reached;
  for (CollectiveAlgorithm algorithm : row.algorithms)
    link.add_algorithm(algorithm);
  return link;
}

/// Lists the built-in links.
///
/// Shared memory: pcc's own communicator, two ranks on two cores, 64 MB.
///
/// NVLink and InfiniBand: bandwidth of one GPU and one adapter, one way, from the data sheets.
/// Latencies are those of the LL128 protocol in NCCL's tuning tables. The latencies of its LL
/// protocol serve as gaps: a published number, but an assumed use. Reached bandwidth of NVLink: the
/// value that NCCL plans with (src/graph/topo.h: 20.0 to 20.6 of a link's 25 GB/s). That of
/// nvlink3: the value that the rings of A100 GPUs reach (nccl-tests on the eight GPUs of an Azure
/// ND A100 v4, log in the README of JZ-Azure/2024-AI-GBB-Bootcamp: 234 GB/s). Reached bandwidth of
/// InfiniBand: 96 GB/s over four adapters of 25 (nccl-tests, issue 119).
///
/// ici: inter-chip interconnect. One dimension of a TPU's torus is a level, with both directions of
/// its ring at once (Jouppi et al., ISCA 2023: 50 GB/s a link; Google Cloud: 1600 Gb/s over the
/// four links of a v5e, 600 GB/s over the six of a v5p).
std::vector<LinkRow> listRows() {
  auto sheet = [](double value) { return makeFigure(value, DATASHEET); };
  auto published = [](double value) { return makeFigure(value, PUBLISHED); };
  auto assumed = [](double value) { return makeFigure(value, ASSUMED); };
  auto measured = [](double value) { return makeFigure(value, MEASURED); };
  const Figure nvlinkLatency = published(1.9e-6), nvlinkGap = published(0.6e-6);
  const Figure adapterLatency = published(4e-6), adapterGap = published(2.7e-6);
  return {
      {"shared-memory", measured(1.3e-6), assumed(0.2e-6), measured(6.5e9), {}},
      {"nvlink2", nvlinkLatency, nvlinkGap, sheet(150e9), published(0.8)},
      {"nvlink3", nvlinkLatency, nvlinkGap, sheet(300e9), published(0.78)},
      {"nvlink4", nvlinkLatency, nvlinkGap, sheet(450e9), published(0.824)},
      {"infiniband-edr", adapterLatency, adapterGap, sheet(12.5e9), published(0.96)},
      {"infiniband-hdr", adapterLatency, adapterGap, sheet(25e9), published(0.96)},
      {"infiniband-ndr", adapterLatency, adapterGap, sheet(50e9), published(0.96)},
      {"ici-v4", assumed(1e-6), assumed(0.5e-6), sheet(100e9), assumed(0.9), {RING}},
      {"ici-v5e", assumed(1e-6), assumed(0.5e-6), sheet(100e9), assumed(0.9), {RING}},
      {"ici-v5p", assumed(1e-6), assumed(0.5e-6), sheet(200e9), assumed(0.9), {RING}},
      {"ethernet-10g", assumed(30e-6), assumed(5e-6), sheet(1.25e9), {}},
  };
}

} // namespace

const std::vector<BuiltInLink> &builtInLinks() {
  static const std::vector<BuiltInLink> links = [] {
    std::vector<BuiltInLink> result;
    for (const LinkRow &row : listRows())
      result.push_back({row.name, makeFigures(row)});
    return result;
  }();
  return links;
}

} // namespace pcc::machine
