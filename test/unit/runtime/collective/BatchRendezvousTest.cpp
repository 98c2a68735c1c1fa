// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/local/BatchRendezvous.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;

// The batch is one work unit of many bytes. The last member to arrive has other work than waiting,
// so one of the sleeping members must be woken.
TEST(BatchRendezvous, ASleeperDoesTheOnlyUnit) {
  constexpr int members = 32;
  constexpr size_t count = 4096;
  std::vector<int> ranks(members);
  std::iota(ranks.begin(), ranks.end(), 0);
  local::BatchRendezvous rendezvous(ranks, {.spins = 0, .helpers = 0}, /*link=*/nullptr);
  std::vector<std::vector<int64_t>> data(members, std::vector<int64_t>(count, 1));
  std::vector<CollectiveCall> calls(members);
  for (int member = 0; member < members; ++member) {
    CollectiveCall &call = calls[member];
    call.kind = abi::ALL_REDUCE;
    call.type = abi::I64;
    call.source = call.destination = data[member].data();
    call.shape = {count};
  }
  std::atomic<bool> aborted = false;
  std::vector<std::thread> waiting;
  for (int member = 1; member < members; ++member)
    waiting.emplace_back([&, member] {
      TransferInterval interval;
      rendezvous.arrive(0, member, {&calls[member], 1});
      EXPECT_TRUE(rendezvous.wait(0, aborted, interval).ok());
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(300)); // until all of them sleep
  rendezvous.arrive(0, 0, {&calls[0], 1});
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!rendezvous.isDone(0) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(rendezvous.isDone(0));
  TransferInterval interval;
  EXPECT_TRUE(rendezvous.wait(0, aborted, interval).ok());
  for (std::thread &thread : waiting)
    thread.join();
  EXPECT_EQ(data[5], std::vector<int64_t>(count, members));
}

} // namespace
} // namespace pcc::test
