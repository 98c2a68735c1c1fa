// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both limits are the fastest of repeated calls: at least three, for about a second (matmuls) or
// half a second (copies). The copy moves 256 MiB, divided evenly among one thread per hardware
// thread; starting the threads is part of the time.
#include "bench/Limits.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <oneapi/dnnl/dnnl.h>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// Returns the least seconds of `work`, called for about `budget` seconds but at least three times.
template <typename Work> double fastest(double budget, Work work) {
  double best = std::numeric_limits<double>::infinity();
  double spent = 0;
  for (int call = 0; call < 3 || spent < budget; ++call) {
    Clock::time_point start = Clock::now();
    work();
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

} // namespace

double pcc::bench::sgemmSeconds(std::span<const Matmul> matmuls) {
  int64_t most = 0;
  for (const Matmul &p : matmuls)
    most = std::max({most, p.m * p.k, p.k * p.n, p.m * p.n});
  std::vector<float> a(most, 0.5f), b(most, 0.25f), c(most);
  return fastest(1.0, [&] {
    for (const Matmul &p : matmuls)
      dnnl_sgemm('N', 'N', p.m, p.n, p.k, 1.0f, a.data(), p.k, b.data(), p.n, 0.0f, c.data(), p.n);
  });
}

double pcc::bench::copyBytesPerSecond() {
  constexpr size_t bytes = size_t(256) << 20;
  std::vector<char> source(bytes, 1), target(bytes, 2);
  size_t threadCount = std::max(1u, std::thread::hardware_concurrency());
  double seconds = fastest(0.5, [&] {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < threadCount; ++i)
      threads.emplace_back([&, i] {
        size_t begin = bytes * i / threadCount, end = bytes * (i + 1) / threadCount;
        std::memcpy(target.data() + begin, source.data() + begin, end - begin);
      });
  });
  return 2.0 * double(bytes) / seconds;
}
