// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the instructions of all ranks on memory that holds hashes instead of numbers. Every
// instruction writes a hash of its own fields and of all values that it reads. Two runs that end
// with equal hashes have computed the same. Concurrent instructions run in a random order, and an
// instruction reads and writes at any time between its begin and its end. Shares no code with
// runtime/check.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::test {

/// How a device runs a list of instructions.
enum class DeviceKind {
  /// One thread. It waits for events at each instruction that names them, runs COMPUTE itself, and
  /// hands COMMUNICATION to a queue that runs one instruction at a time.
  Thread,
  /// Streams. Every instruction begins as soon as its events are signaled; COMPUTE runs in order.
  Streams,
};

struct Outcome {
  /// Empty, or the reason why the run did not complete.
  std::string failure;
  /// Parameters and results of all ranks after two steps.
  std::vector<uint64_t> values;
};

/// Runs two steps of a valid executable. The seed also decides three modes. Messages and
/// collectives are slow if seed % 2 is 1. Sends are buffered if seed / 2 % 2 is 1; otherwise they
/// wait for their receive. Rank seed / 4 % (ranks + 1) - 1 computes only if nothing else can
/// happen.
Outcome interpret(const abi::Executable &executable, DeviceKind kind, uint64_t seed);

/// Whether the orders in which ranks launch collectives fit into one total order.
bool launchesFit(const abi::Executable &executable);

} // namespace pcc::test
