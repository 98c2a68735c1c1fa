// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what fused collectives save over MPI:
//
//   mpirun -n PROCESSES fused-collectives [CALLS]
//
// One rank per process. Starts CALLS (100) all-reduces, all-gathers and reduce-scatters of f32
// together, each by itself or all fused in one message. Prints the microseconds until all are done,
// on the slowest rank, for the best round. Bytes are those of a call's operand, of an all-gather's
// result.

#include "runtime/abi/program/CollectiveName.h"
#include "runtime/collective/Launch.h"
#include "runtime/collective/mpi/MpiWorld.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace pcc::bench {
namespace {

using namespace runtime;

constexpr int rounds = 40;

/// Buffers of a rank, and the calls on them.
struct Calls {
  Calls(abi::CollectiveKind kind, int count, int64_t bytes, int ranks, bool fused)
      : data(size_t(count) * 2) {
    int64_t elements = bytes / int64_t(sizeof(float));
    for (std::vector<float> &each : data)
      each.assign(size_t(elements), 1);
    for (int c = 0; c < count; ++c) {
      CollectiveCall call{.kind = kind, .source = data[2 * c].data(), .shape = {elements}};
      call.destination = data[2 * c + 1].data();
      if (kind == abi::ALL_GATHER)
        call.shape[0] /= ranks;
      call.fused = fused && c > 0;
      list.push_back(call);
    }
  }
  std::vector<std::vector<float>> data;
  std::vector<CollectiveCall> list;
};

/// Returns the microseconds from when all ranks begin until the slowest is done.
double timeOnce(Communicator &rank, const Calls &calls) {
  float own = 0, slowest = 0;
  CollectiveCall most{.kind = abi::ALL_REDUCE, .reduction = abi::MAX, .source = &own, .shape = {1}};
  most.destination = &slowest;
  bool done = rank.barrier().ok();
  int64_t begin = nowNanoseconds();
  done = done && rank.run(calls.list).ok();
  own = float(nowNanoseconds() - begin) * 1e-3f;
  if (!done || !rank.run({&most, 1}).ok())
    std::exit(1);
  return slowest;
}

double timeBest(Communicator &rank, const Calls &calls) {
  double best = timeOnce(rank, calls);
  for (int round = 1; round < rounds; ++round)
    best = std::min(best, timeOnce(rank, calls));
  return best;
}

void show(Communicator &rank, int count) {
  if (rank.position() == 0)
    fmt::print("{:16} {:>9} {:>11} {:>11}\n", "kind", "bytes", "each", "fused");
  for (abi::CollectiveKind kind : {abi::ALL_REDUCE, abi::ALL_GATHER, abi::REDUCE_SCATTER})
    for (int64_t bytes = 1 << 8; bytes <= 1 << 20; bytes *= 4) {
      double times[2];
      for (bool fused : {false, true})
        times[fused] = timeBest(rank, Calls(kind, count, bytes, rank.size(), fused));
      if (rank.position() == 0)
        fmt::print("{:16} {:9} {:8.0f} us {:8.0f} us\n", abi::collectiveName(kind), bytes, times[0],
                   times[1]);
    }
}

Expected<int> readCount(const std::string &text) {
  int count = 0;
  const char *textEnd = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), textEnd, count);
  if (error != std::errc() || end != textEnd || count < 1)
    return Status::badUsage(fmt::format("expected a number of calls from 1 on, got '{}'", text));
  return count;
}

Status run(const std::string &calls) {
  Expected<int> count = readCount(calls);
  if (!count)
    return count.status();
  Expected<Launch> launch = readLaunch();
  if (!launch)
    return launch.status();
  auto library = mpi::openLibrary();
  if (!library)
    return library.status();
  bool isCrowded = launch->localProcesses > int(std::thread::hardware_concurrency());
  auto engine = mpi::Engine::begin(**library, isCrowded);
  if (!engine)
    return engine.status();
  auto world = mpi::makeWorld(*engine, (*engine)->processes(), {});
  if (!world)
    return world.status();
  auto ranks = (*world)->connect();
  if (!ranks)
    return ranks.status();
  show(*ranks->front(), *count);
  return (*world)->close();
}

} // namespace
} // namespace pcc::bench

int main(int argc, char **argv) {
  pcc::abi::Status status = pcc::bench::run(argc > 1 ? argv[1] : "100");
  if (!status.ok())
    fmt::print(stderr, "{}\n", status.message());
  std::fflush(nullptr);
  _exit(status.exitCode());
}
