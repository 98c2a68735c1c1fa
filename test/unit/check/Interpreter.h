// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the instructions of all ranks on memory that holds hashes instead of numbers: every
// instruction writes a hash of what it is and of all that it reads. So two runs that end with the
// same hashes have computed the same. What may run at once does so in an order by chance, and an
// instruction reads and writes at any moment between its begin and its end. It shares no code with
// runtime/check.

#ifndef PCC_TEST_UNIT_CHECK_INTERPRETER_H
#define PCC_TEST_UNIT_CHECK_INTERPRETER_H

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::test {

/// How a device goes through a list.
enum class DeviceKind {
  /// One thread: it waits for events wherever it comes to an instruction that does, runs COMPUTE
  /// itself,
  /// and hands COMMUNICATION to a queue that works one by one.
  Thread,
  /// Streams: every instruction begins as soon as its events are signaled, COMPUTE in order.
  Streams,
};

struct Outcome {
  /// Empty, or why the run did not come to its end.
  std::string failure;
  /// Parameters and results of all ranks after two steps.
  std::vector<uint64_t> values;
};

/// Two steps of a valid executable. The seed also says whether messages and collectives are slow
/// (seed % 2), whether a send is done before its receive began (seed / 2 % 2; else they meet), and
/// which rank computes only where nothing else can happen (seed / 4 % (ranks + 1) - 1).
Outcome interpret(const abi::Executable &executable, DeviceKind kind, uint64_t seed);

/// Whether the orders in which ranks launch collectives fit into one order.
bool launchesFit(const abi::Executable &executable);

} // namespace pcc::test

#endif // PCC_TEST_UNIT_CHECK_INTERPRETER_H
