// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link given by two figures: its text form, and the costs of collectives over it.
#include "runtime/machine/UniformLink.h"
#include "runtime/machine/BuiltIn.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

TEST(UniformLink, EveryUnit) {
  const std::pair<const char *, double> rates[] = {
      {"8bps", 1}, {"8kbps", 1e3}, {"8Mbps", 1e6}, {"10Gbps", 1.25e9}, {"8Tbps", 1e12},
      {"7B/s", 7}, {"7kB/s", 7e3}, {"7MB/s", 7e6}, {"1.5GB/s", 1.5e9}, {"7TB/s", 7e12}};
  const std::pair<const char *, double> times[] = {
      {"20ns", 20e-9}, {"20us", 20e-6}, {"0.5ms", 0.5e-3}, {"2s", 2}};
  for (auto [rate, bytes] : rates)
    for (auto [time, seconds] : times) {
      abi::Expected<UniformLink> link = parseLink(std::string(rate) + "," + time);
      ASSERT_TRUE(bool(link)) << rate << "," << time;
      EXPECT_DOUBLE_EQ(link->bytesPerSecond, bytes);
      EXPECT_DOUBLE_EQ(link->latencySeconds, seconds);
    }
}

TEST(UniformLink, SaysWhatItExpects) {
  for (const char *text :
       {"", "10Gbps", "10Gbps,", ",20us", "10,20us", "10Gbps,20", "-1Gbps,20us", "0Gbps,20us",
        "10Gbps,0us", "infGbps,20us", "10gbps,20us", "10Gbps,20us,1", "Gbps,us"})
    EXPECT_EQ(parseLink(text).status().message(),
              "expected RATE,LATENCY, as in 10Gbps,20us or 1.25GB/s,20us, got '" +
                  std::string(text) + "'");
}

// With a gap as long as the latency, all messages of a rank are sent one after the other.
TEST(UniformLink, PricesByHand) {
  UniformLink link{.bytesPerSecond = 1e9, .latencySeconds = 10e-6};
  auto price = [&](abi::CollectiveKind kind, int64_t members, double bytes) {
    return estimateLinkCost(link, members, {.kind = kind, .bytes = bytes});
  };
  EXPECT_DOUBLE_EQ(price(abi::SEND, 2, 1e6), 10e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(price(abi::ALL_GATHER, 4, 1e6), 3 * 10e-6 + 0.75e-3);
  EXPECT_DOUBLE_EQ(price(abi::REDUCE_SCATTER, 4, 1e6), 3 * 10e-6 + 0.75e-3);
  EXPECT_DOUBLE_EQ(price(abi::ALL_TO_ALL, 4, 1e6), 3 * 10e-6 + 0.75e-3);
  EXPECT_DOUBLE_EQ(price(abi::ALL_REDUCE, 4, 1e6), 6 * 10e-6 + 1.5e-3);
  EXPECT_DOUBLE_EQ(price(abi::ALL_REDUCE, 4, 4), 3 * (10e-6 + 4e-9)); // all send all they have
  EXPECT_DOUBLE_EQ(price(abi::BARRIER, 8, 0), 3 * 10e-6);
  EXPECT_EQ(price(abi::ALL_REDUCE, 1, 1e6), 0);
}

// A cluster joined by such links has the same costs, plus a launch.
TEST(UniformLink, ReplacesTheLinksOfACluster) {
  UniformLink link{.bytesPerSecond = 1e9, .latencySeconds = 10e-6};
  abi::Cluster cluster = *parseForm("2x4xcpu");
  setLinks(cluster, link);
  ASSERT_TRUE(bool(complete(cluster)));
  EXPECT_EQ(countDevices(cluster), 8);
  Traffic traffic{.kind = abi::ALL_REDUCE, .bytes = 1e6};
  std::vector<int64_t> ranks = {0, 3, 5, 6};
  EXPECT_DOUBLE_EQ(
      estimateCollectiveCost(cluster, GroupLayout::of(ranks, cluster), traffic).seconds,
      estimateLinkCost(link, 4, traffic) + cluster.device().launch_seconds().value());
}

// Cores that move bytes are busy longer on slower links. Device units that are reserved for
// collectives are reserved for the duration of the collectives.
TEST(UniformLink, SpreadsAMeasuredShare) {
  for (abi::FigureSource source : {abi::MEASURED, abi::PUBLISHED}) {
    abi::Cluster cluster = *parseForm("4xcpu");
    cluster.mutable_level(0)->mutable_figures()->mutable_bytes_per_second()->set_value(8e9);
    *cluster.mutable_device()->mutable_collective_share() = makeFigure(0.5, source);
    setLinks(cluster, {.bytesPerSecond = 2e9, .latencySeconds = 10e-6});
    EXPECT_DOUBLE_EQ(cluster.device().collective_share().value(),
                     source == abi::MEASURED ? 0.125 : 0.5);
    setLinks(cluster, {.bytesPerSecond = 4e9, .latencySeconds = 10e-6});
    EXPECT_DOUBLE_EQ(cluster.device().collective_share().value(),
                     source == abi::MEASURED ? 0.125 : 0.5);
  }
}

} // namespace
} // namespace pcc::machine
