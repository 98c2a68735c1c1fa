// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function on every rank of a fresh local world, one thread each.

#pragma once

#include "runtime/collective/Communicator.h"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace pcc::test {

using World = std::vector<std::unique_ptr<runtime::Communicator>>;
using WorldFactory = std::function<World(int ranks)>;

/// Calls `body` with each rank's communicator on a thread of its own and waits for all.
inline void onEveryRank(const World &world,
                        const std::function<void(runtime::Communicator &)> &body) {
  std::vector<std::thread> threads;
  for (const std::unique_ptr<runtime::Communicator> &rank : world)
    threads.emplace_back([&] { body(*rank); });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace pcc::test
