// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs of random work, on threads of random speed: what is known when a job is chosen, and when a
// job looks, does not depend on the speed. One order is written down by hand; others are those of a
// run with other delays.
#include "compiler/search/VirtualWorkers.h"

#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace pcc::search {
namespace {

using Clock = VirtualWorkers::Clock;

TEST(VirtualWorkers, DeliverInTheOrderOfWork) {
  // The example of VirtualWorkers.h. The thread of the shorter job is the slower one.
  std::vector<std::string> events;
  std::vector<std::pair<char, double>> waiting = {{'A', 3}, {'B', 4}, {'C', 2}, {'D', 9}};
  size_t next = 0;
  VirtualWorkers *all = nullptr;
  VirtualWorkers workers(2, [&]() -> std::optional<VirtualWorkers::Job> {
    if (next == waiting.size())
      return std::nullopt;
    auto [name, seconds] = waiting[next++];
    events.push_back(std::string("choose ") + name);
    return VirtualWorkers::Job{[name, seconds](Clock &clock) {
                                 if (name == 'A')
                                   std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                 clock.advance(seconds);
                               },
                               [&, name] {
                                 events.push_back(std::string("deliver ") + name + " at " +
                                                  std::to_string(int(all->getTime())));
                               }};
  });
  all = &workers;
  workers.run(/*begin=*/0);
  EXPECT_EQ(events, (std::vector<std::string>{"choose A", "choose B", "deliver A at 3", "choose C",
                                              "deliver B at 4", "choose D", "deliver C at 5",
                                              "deliver D at 13"}));
}

/// Runs jobs, each of which adds up to two others, and returns all that happened. `delay` delays
/// threads at random.
std::vector<std::string> runAtRandom(int workers, unsigned seed, unsigned delay) {
  std::vector<std::string> events;
  std::mt19937 random(seed);
  std::vector<unsigned> queue = {1, 2, 3};
  unsigned numQueued = 3;
  VirtualWorkers *all = nullptr;
  VirtualWorkers pool(workers, [&]() -> std::optional<VirtualWorkers::Job> {
    if (queue.empty())
      return std::nullopt;
    size_t pick = random() % queue.size(); // depends on the order of all choices
    unsigned job = queue[pick];
    queue.erase(queue.begin() + pick);
    events.push_back("choose " + std::to_string(job));
    auto run = [&, job](Clock &clock) {
      std::mt19937 own(job * 7919 + seed), speed(job * 31 + delay);
      for (unsigned step = own() % 5; step > 0; --step) {
        std::this_thread::sleep_for(std::chrono::microseconds(speed() % 300));
        clock.advance(double(own() % 4));
        if (own() % 3 == 0)
          clock.lookAtTime([&] {
            events.push_back("look " + std::to_string(job) + " sees " +
                             std::to_string(all->getTime()));
          });
      }
    };
    return VirtualWorkers::Job{run, [&, job] {
                                 events.push_back("deliver " + std::to_string(job) + " at " +
                                                  std::to_string(all->getTime()));
                                 for (unsigned more = random() % 3; more > 0 && numQueued < 40;
                                      --more)
                                   queue.push_back(++numQueued);
                               }};
  });
  all = &pool;
  pool.run(/*begin=*/1);
  return events;
}

TEST(VirtualWorkers, IgnoreTheSpeedOfThreads) {
  for (int workers : {1, 2, 3, 5})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      std::vector<std::string> expected = runAtRandom(workers, seed, /*delay=*/0);
      EXPECT_GE(expected.size(), 6u);
      for (unsigned delay = 1; delay <= 4; ++delay)
        EXPECT_EQ(runAtRandom(workers, seed, delay), expected)
            << workers << " workers, seed " << seed << ", delay " << delay;
    }
}

} // namespace
} // namespace pcc::search
