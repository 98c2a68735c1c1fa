// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/monitor/ReplicaCheck.h"
#include "runtime/execute/Session.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace pcc::test {
namespace {

using namespace runtime;

std::unique_ptr<Session> load(int ranks) {
  auto session =
      Session::load(makeMlp({.ranks = ranks, .batch = 60, .widths = {20, 4}}), {.timeout = 60});
  EXPECT_TRUE(bool(session)) << session.status().describe();
  return std::move(*session);
}

/// Compares the replicas after 7 steps, with one bit of `flipped`'s first parameter flipped.
std::string compare(Session &session, const std::set<int64_t> &flipped) {
  ReplicaCheck check(session.executable());
  EXPECT_TRUE(check.comparesAny());
  return session
      .onEveryRank([&](RankExecutor &rank) {
        uint32_t buffer = rank.program().parameters(0).buffer();
        std::array<std::byte, 4> bytes = {};
        Status status = flipped.contains(rank.rank()) ? rank.read(bytes, buffer) : Status();
        bytes[2] ^= std::byte(0x40);
        if (status.ok() && flipped.contains(rank.rank()))
          status = rank.write(buffer, bytes);
        return status.ok() ? check.run(rank, 7) : status;
      })
      .message();
}

TEST(ReplicaCheck, NamesTheMinority) {
  std::unique_ptr<Session> session = load(6);
  EXPECT_EQ(compare(*session, {}), "");
  EXPECT_EQ(compare(*session, {4}),
            "--check-replicas: after 7 steps, the parameter 'w0' differs between its replicas: "
            "rank 4 has other bits than ranks 0, 1, 2, 3 and 5; memory may have failed; continue "
            "from a checkpoint");
}

TEST(ReplicaCheck, NamesAllRanksWithoutAMajority) {
  std::unique_ptr<Session> session = load(2);
  EXPECT_EQ(
      compare(*session, {1}),
      "--check-replicas: after 7 steps, the parameter 'w0' differs between its replicas: "
      "ranks 0 and 1 have different bits; memory may have failed; continue from a checkpoint");
}

TEST(ReplicaCheck, SummarizesManyRanks) {
  std::unique_ptr<Session> session = load(12);
  EXPECT_EQ(compare(*session, {3, 7}),
            "--check-replicas: after 7 steps, the parameter 'w0' differs between its replicas: "
            "ranks 3 and 7 have other bits than 10 ranks such as 0; memory may have failed; "
            "continue from a checkpoint");
}

TEST(ReplicaCheck, HasNothingToCompareOnOneRank) {
  EXPECT_FALSE(ReplicaCheck(load(1)->executable()).comparesAny());
}

} // namespace
} // namespace pcc::test
