// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round measures the copy rate of all cores, then the collective: two warm-up runs, a barrier,
// and as many repeats as fill `secondsPerRound`. The best copy rate and the shortest time of all
// rounds count. Sizes are rounded down to a multiple of the ranks.
#include "tools/pcc/bench/CollectiveTimes.h"

#include "runtime/abi/program/CollectiveName.h"
#include "runtime/collective/Communicator.h"
#include "runtime/collective/local/LocalCommunicator.h"
#include "runtime/collective/local/NonTemporalStore.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

namespace pcc::cli {
namespace {

using abi::CollectiveKind;
using abi::Status;
using runtime::CollectiveCall;
using runtime::Communicator;
using runtime::nowNanoseconds;
using runtime::local::StoreMode;

constexpr int64_t element = sizeof(float);

double secondsSince(int64_t begin) { return double(nowNanoseconds() - begin) * 1e-9; }

/// Runs `body` on `count` threads, each with its number.
void onThreads(int count, const std::function<void(int)> &body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}

/// Benchmark for one number of ranks and bytes, with the buffers of each rank.
class Bench {
public:
  Bench(const CollectiveTimeOptions &options, int ranks, int64_t bytes)
      : options(options), ranks(ranks), bytes(bytes / element / ranks * ranks * element),
        world(runtime::makeLocalCommunicators(ranks, 0, options.link)), sources(ranks),
        destinations(ranks), statuses(ranks) {
    for (int r = 0; r < ranks; ++r) {
      sources[r].assign(this->bytes / element, float(r + 1));
      destinations[r].assign(this->bytes / element, 0);
    }
  }

  Status time(const std::function<void(const CollectiveTime &)> &show) {
    for (CollectiveKind kind : options.kinds) {
      double seconds = std::numeric_limits<double>::infinity(), rate = 0;
      for (int round = 0; round < options.rounds; ++round) {
        rate = std::max(rate, copyRate());
        seconds = std::min(seconds, timeRound(kind));
        for (const Status &status : statuses)
          if (!status.ok())
            return status;
      }
      show({.kind = kind,
            .ranks = ranks,
            .bytes = bytes,
            .seconds = seconds,
            .boundSeconds = minBytes(kind) / rate,
            .copyRate = rate,
            .linkSeconds = linkSeconds(kind)});
    }
    return {};
  }

private:
  double minBytes(CollectiveKind kind) const {
    bool hasOneSide =
        kind == abi::ALL_GATHER || kind == abi::REDUCE_SCATTER || kind == abi::BROADCAST;
    return double(bytes) * (hasOneSide ? ranks + 1 : 2 * ranks);
  }

  double linkSeconds(CollectiveKind kind) const {
    if (!options.link)
      return 0;
    return machine::estimateLinkCost(*options.link, ranks, {.kind = kind, .bytes = double(bytes)});
  }

  /// Returns how often a round repeats work of `seconds`.
  int64_t repeatsOf(double seconds) const {
    return std::clamp<int64_t>(int64_t(options.secondsPerRound / seconds), 1, 10'000);
  }

  /// Returns the bytes that all cores together read and write per second, each with a share of
  /// every rank's buffer. Tries stores through the caches and past them; the better rate counts.
  double copyRate() {
    return std::max(copyRate(StoreMode::ThroughCaches), copyRate(StoreMode::PastCaches));
  }

  double copyRate(StoreMode store) {
    int cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<double> rates(cores);
    int64_t repeats = repeatsOf(double(bytes * ranks) / cores / 5e9); // at a usual 5 GB/s
    onThreads(cores, [&](int core) {
      int64_t begin = nowNanoseconds();
      for (int64_t i = 0; i < repeats; ++i)
        copyShare(core, cores, store);
      rates[core] = double(repeats) * 2 * double(bytes) * ranks / cores / secondsSince(begin);
    });
    return std::accumulate(rates.begin(), rates.end(), 0.0);
  }

  void copyShare(int core, int cores, StoreMode store) {
    int64_t begin = bytes * core / cores, end = bytes * (core + 1) / cores;
    for (int r = 0; r < ranks; ++r)
      runtime::local::storeBytes(
          store, reinterpret_cast<std::byte *>(destinations[r].data()) + begin,
          reinterpret_cast<std::byte *>(sources[r].data()) + begin, end - begin);
    runtime::local::finishStores(store);
  }

  std::vector<CollectiveCall> callsOf(CollectiveKind kind, int rank) {
    CollectiveCall call{.kind = kind, .source = sources[rank].data(), .shape = {bytes / element}};
    call.destination = destinations[rank].data();
    if (kind == abi::ALL_GATHER)
      call.shape[0] /= ranks;
    if (kind == abi::COLLECTIVE_PERMUTE)
      for (int32_t r = 0; r < ranks; ++r)
        call.boxes.push_back({r, (r + 1) % ranks, {0}, call.shape, {0}});
    if (kind != abi::SEND)
      return {call};
    call.root = (rank + 1) % ranks;
    CollectiveCall receive = call;
    receive.kind = abi::RECV;
    receive.root = (rank + ranks - 1) % ranks;
    return {call, receive};
  }

  /// Returns the seconds of one collective on the slowest rank: the mean over consecutive
  /// collectives of a round, after two warm-up runs.
  double timeRound(CollectiveKind kind) {
    std::vector<double> seconds(ranks);
    int64_t repeats = 1;
    onThreads(ranks, [&](int rank) {
      Communicator &own = *world[rank];
      std::vector<CollectiveCall> calls = callsOf(kind, rank);
      auto run = [&](int64_t times) {
        statuses[rank] = own.barrier();
        int64_t begin = nowNanoseconds();
        for (int64_t i = 0; i < times && statuses[rank].ok(); ++i)
          statuses[rank] = own.run(calls);
        return secondsSince(begin) / double(times);
      };
      run(1);
      if (double warm = run(1); rank == 0)
        repeats = repeatsOf(warm);
      if (statuses[rank].ok())
        statuses[rank] = own.barrier(); // now all ranks know `repeats`
      if (statuses[rank].ok())
        seconds[rank] = run(repeats);
    });
    return *std::ranges::max_element(seconds);
  }

  const CollectiveTimeOptions &options;
  const int ranks;
  const int64_t bytes;
  std::vector<std::unique_ptr<Communicator>> world;
  std::vector<std::vector<float>> sources, destinations;
  std::vector<Status> statuses;
};

} // namespace

std::span<const CollectiveKind> timedKinds() {
  static constexpr CollectiveKind kinds[] = {
      abi::ALL_REDUCE, abi::ALL_GATHER, abi::REDUCE_SCATTER,
      abi::ALL_TO_ALL, abi::BROADCAST,  abi::COLLECTIVE_PERMUTE,
      abi::SEND};
  return kinds;
}

Status timeCollectives(const CollectiveTimeOptions &options,
                       const std::function<void(const CollectiveTime &)> &show) {
  for (int ranks : options.ranks)
    for (int64_t bytes : options.bytes)
      if (Status status = Bench(options, ranks, bytes).time(show); !status.ok())
        return status;
  return {};
}

static std::string microseconds(double seconds) { return llvm::formatv("{0:f1}", seconds * 1e6); }

std::vector<std::string> timeColumns(const CollectiveTimeOptions &options) {
  std::vector<std::string> cells = {"collective", "ranks", "bytes",      "us",
                                    "bound us",   "ratio", "copies GB/s"};
  if (options.link)
    cells.push_back("link us");
  return cells;
}

std::vector<std::string> timeRow(const CollectiveTime &time) {
  std::vector<std::string> cells = {abi::collectiveName(time.kind),
                                    std::to_string(time.ranks),
                                    std::to_string(time.bytes),
                                    microseconds(time.seconds),
                                    microseconds(time.boundSeconds),
                                    llvm::formatv("{0:f2}", time.seconds / time.boundSeconds),
                                    llvm::formatv("{0:f1}", time.copyRate / 1e9)};
  if (time.linkSeconds > 0)
    cells.push_back(microseconds(time.linkSeconds));
  return cells;
}

llvm::json::Object toJson(const CollectiveTime &time) {
  llvm::json::Object row{{"kind", abi::collectiveName(time.kind)},
                         {"ranks", time.ranks},
                         {"bytes", time.bytes},
                         {"seconds", time.seconds},
                         {"bound_seconds", time.boundSeconds},
                         {"copy_bytes_per_second", time.copyRate}};
  if (time.linkSeconds > 0)
    row["link_seconds"] = time.linkSeconds;
  return row;
}

} // namespace pcc::cli
