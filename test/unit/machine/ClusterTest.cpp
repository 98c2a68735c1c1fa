// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short forms of clusters, changes of them by a file, and errors.
#include "runtime/machine/Cluster.h"
#include "runtime/machine/BuiltIn.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

abi::Cluster textOf(const std::string &text) {
  abi::Cluster cluster;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &cluster)) << text;
  return cluster;
}

std::string errorOfForm(const std::string &form) { return parseForm(form).status().message(); }
std::string errorOf(const std::string &text) { return complete(textOf(text)).status().message(); }

TEST(Cluster, OneLevel) {
  auto cluster = parseForm("8xcpu");
  ASSERT_TRUE(cluster);
  ASSERT_EQ(cluster->level_size(), 1);
  EXPECT_EQ(cluster->level(0).count(), 8);
  EXPECT_EQ(cluster->level(0).link(), "shared-memory");
  EXPECT_EQ(countDevices(*cluster), 8);
}

TEST(Cluster, LevelsAreInnermostFirst) {
  auto cluster = parseForm("2x8xh100");
  ASSERT_TRUE(cluster);
  ASSERT_EQ(cluster->level_size(), 2);
  EXPECT_EQ(cluster->level(0).count(), 8);
  EXPECT_EQ(cluster->level(0).link(), "nvlink4");
  EXPECT_EQ(cluster->level(1).count(), 2);
  EXPECT_EQ(cluster->level(1).link(), "infiniband-ndr");
}

TEST(Cluster, BadFormsNameThePlace) {
  EXPECT_EQ(errorOfForm("8xtoaster"),
            "cluster '8xtoaster', column 3: expected a device (cpu, V100, A100, H100, H200, "
            "TPUv4, TPUv5e, TPUv5p), got 'toaster'");
  EXPECT_EQ(errorOfForm("0xcpu"),
            "cluster '0xcpu', column 1: expected a count of 1 to 4096, got '0'");
  EXPECT_EQ(errorOfForm("64x65xcpu"),
            "cluster '64x65xcpu', column 4: expected a count of 1 to 64, got '65'");
  EXPECT_EQ(errorOfForm("8"), "cluster '8', column 2: expected 'x' and a device (cpu, V100, A100, "
                              "H100, H200, TPUv4, TPUv5e, TPUv5p), got ''");
  EXPECT_EQ(errorOfForm("H100"),
            "cluster 'H100', column 1: expected a count, as in '2x8xH100', got 'H100'");
  EXPECT_EQ(errorOfForm("8ycpu"),
            "cluster '8ycpu', column 1: expected a count of 1 to 4096, got '8ycpu'");
  EXPECT_EQ(errorOfForm(""), "cluster '', column 1: expected a count, as in '2x8xH100', got ''");
}

TEST(Cluster, EveryBuiltInIsComplete) {
  for (const BuiltInDevice &device : builtInDevices()) {
    abi::Cluster cluster = textOf("form: '2x2x" + device.name + "'");
    EXPECT_TRUE(complete(cluster)) << complete(cluster).status().message();
    for (const abi::ComputeRate &rate : device.figures.rate())
      EXPECT_NE(rate.flops_per_second().source(), abi::FIGURE_SOURCE_UNSPECIFIED) << device.name;
    EXPECT_NE(findLink(device.innerLink), nullptr);
    EXPECT_NE(findLink(device.outerLink), nullptr);
  }
}

TEST(Cluster, AFileReplacesTheAlgorithmsOfALink) {
  auto cluster = complete(textOf("form: '4xH100' "
                                 "level { link: 'ici-v4' figures { algorithm: TREE } }"));
  ASSERT_TRUE(cluster) << cluster.status().message();
  ASSERT_EQ(cluster->level(0).figures().algorithm_size(), 1);
  EXPECT_EQ(cluster->level(0).figures().algorithm(0), abi::TREE);
  cluster = complete(textOf("form: '4xH100' level { link: 'ici-v4' }"));
  ASSERT_TRUE(cluster) << cluster.status().message();
  ASSERT_EQ(cluster->level(0).figures().algorithm_size(), 1);
  EXPECT_EQ(cluster->level(0).figures().algorithm(0), abi::RING);
}

TEST(Cluster, AFileChangesWhatItNames) {
  auto cluster = complete(textOf("form: '2x8xH100' "
                                 "device { rate { compute_class: CONTRACTION type: F32 "
                                 "                flops_per_second { value: 5e14 } } } "
                                 "level {} "
                                 "level { figures { bytes_per_second { value: 1e9 } "
                                 "                  algorithm: RING } }"));
  ASSERT_TRUE(cluster) << cluster.status().message();
  EXPECT_EQ(cluster->level(0).figures().bytes_per_second().value(), 450e9);
  EXPECT_EQ(cluster->level(1).figures().bytes_per_second().value(), 1e9);
  EXPECT_EQ(cluster->level(1).figures().latency_seconds().value(), 4e-6);
  EXPECT_EQ(cluster->level(1).figures().algorithm_size(), 1);
  EXPECT_EQ(cluster->device().memory_bytes().value(), 80e9);
  EXPECT_EQ(cluster->device().rate(0).flops_per_second().value(), 5e14);
  EXPECT_EQ(cluster->device().rate_size(), 6);
}

TEST(Cluster, TilesAreReplacedAsAWhole) {
  auto cluster = complete(textOf("form: '8xA100' "
                                 "device { matmul { tile { rows: 64 columns: 64 } } }"));
  ASSERT_TRUE(cluster) << cluster.status().message();
  EXPECT_EQ(cluster->device().matmul().tile_size(), 1);
  EXPECT_EQ(cluster->device().matmul().units(), 108);
}

TEST(Cluster, ATorusHasALevelForEachDimension) {
  abi::Cluster cluster = *parseForm("4x4x4xTPUv4");
  ASSERT_EQ(cluster.level_size(), 3);
  for (const abi::TopologyLevel &level : cluster.level())
    EXPECT_EQ(level.link(), "ici-v4");
}

TEST(Cluster, ALevelMayTakeABuiltInLink) {
  auto cluster = complete(textOf("form: '2x8xH100' level {} level { link: 'ethernet-10g' }"));
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->level(1).figures().bytes_per_second().value(), 1.25e9);
}

TEST(Cluster, TextsReadBack) {
  auto cluster = parseCluster("2x8xH100");
  ASSERT_TRUE(cluster);
  auto again = parseCluster(toText(*cluster));
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(toText(*again), toText(*cluster));
  EXPECT_EQ(parseCluster("form: 1").status().message(),
            "cluster 'form: 1', line 1, column 7: Expected string, got: 1");
}

TEST(Cluster, ProductsOfF32ByTf32HaveTheRateOfTheDataSheet) {
  auto rateOf = [](const std::string &text) {
    abi::Cluster cluster = *parseCluster(text);
    roundToTf32(cluster);
    std::string once = toText(cluster);
    roundToTf32(cluster);
    EXPECT_EQ(toText(cluster), once);
    // Other rates stay unchanged.
    EXPECT_EQ(cluster.device().rate(1).DebugString(),
              parseCluster(text)->device().rate(1).DebugString());
    return cluster.device().rate(0).flops_per_second().value();
  };
  EXPECT_EQ(rateOf("8xA100"), 156e12);
  EXPECT_EQ(rateOf("2x8xh100"), 494.7e12);
  EXPECT_EQ(rateOf("8xH200"), 494.7e12);
  // These devices have no matmuls in TF32.
  EXPECT_EQ(rateOf("8xV100"), 15.7e12);
  EXPECT_EQ(rateOf("8xcpu"), 160e9);
  // A rate for f32 in a file takes precedence.
  EXPECT_EQ(rateOf("form: '8xH100' device { rate { compute_class: CONTRACTION type: F32 "
                   "flops_per_second { value: 50e12 source: MEASURED } } }"),
            50e12);
}

TEST(Cluster, EveryRankNeedsADevice) {
  EXPECT_TRUE(checkRanks(*parseForm("2x8xH100"), 16).ok());
  EXPECT_EQ(checkRanks(*parseForm("2x8xH100"), 17).message(),
            "expected a cluster of at least 17 devices, one for each rank, got 16");
  EXPECT_EQ(parseCluster("2x8xH100", 17).status().message(),
            "expected a cluster of at least 17 devices, one for each rank, got 16");
  EXPECT_EQ(toText(*parseCluster("", 6)), toText(*parseForm("6xcpu")));
}

TEST(Cluster, WhatIsMissingOrWrongIsNamed) {
  EXPECT_EQ(errorOf("level { count: 2 link: 'nvlink4' }"),
            "device: expected a rate of CONTRACTION on F32, got none");
  EXPECT_EQ(errorOf("form: '8xcpu' device { memory_bytes { value: -1 } }"),
            "device.memory_bytes: expected a value above 0, got -1");
  EXPECT_EQ(errorOf("form: '8xcpu' level { figures { gap_seconds { value: 0 } } }"),
            "level[0].figures.gap_seconds: expected a value above 0, got 0");
  EXPECT_EQ(errorOf("form: '8xcpu' device { matmul { units: -1 } }"),
            "device.matmul: units: expected at least 0, got -1");
  EXPECT_EQ(errorOf("form: '8xcpu' device { matmul { units: 4 } }"),
            "device.matmul: expected a 'tile' for the units, got none");
  EXPECT_EQ(errorOf("form: '8xcpu' device { matmul { tile { rows: 4 } } }"),
            "device.matmul.tile[0]: expected at least one row and one column, got 4 and 0");
  EXPECT_EQ(errorOf("form: '8xcpu' device { matmul { lost_depth { value: -3 } } }"),
            "device.matmul.lost_depth: expected a value above 0, got -3");
  EXPECT_EQ(errorOf("form: '8xcpu' device { memory_reached_share { value: 1.5 } }"),
            "device.memory_reached_share: expected a value above 0 and at most 1, got 1.5");
  EXPECT_EQ(errorOf("form: '8xcpu' level { count: -2 }"),
            "level[0]: expected a count of 1 to 4096, got -2");
  EXPECT_EQ(errorOf("form: '8xcpu' level { link: 'string' }"),
            "level.link: 'string' is not built in: expected 'figures' beside it");
  EXPECT_EQ(errorOf("form: '8xcpu' level {} level { count: 4000 link: 'nvlink4' }"),
            "expected at most 4096 devices, got more");
}

} // namespace
} // namespace pcc::machine
