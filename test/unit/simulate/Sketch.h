// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose instructions take given times, on a machine made for them.

#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Simulate.h"

#include <string>
#include <vector>

namespace pcc::test {

/// Makes a cluster with levels of `counts` units, innermost first. A message or an all-reduce takes
/// latencies[l] seconds, whatever its bytes; l is the lowest common level of its ranks. An
/// instruction takes one second for each byte that it moves, and has no other costs.
abi::Cluster exactCluster(const std::vector<int64_t> &counts, const std::vector<double> &latencies);

class Sketch {
public:
  /// Group 0 contains the ranks of each stage.
  explicit Sketch(int stages, int dataRanks = 1);

  uint32_t section(int stage, const std::string &name);
  /// Makes the instruction that was added last signal the next event of the stage. Returns the
  /// event.
  uint32_t signal(int stage);

  /// Adds a fill of a new buffer, which takes `seconds`.
  abi::Instruction &work(int stage, uint32_t section, const std::string &op, int64_t seconds,
                         const std::vector<uint32_t> &waits = {});
  /// Adds a message to or from the rank at the same position of another stage.
  abi::Instruction &send(int stage, uint32_t section, int to, uint32_t tag,
                         const std::vector<uint32_t> &waits = {},
                         abi::StreamKind stream = abi::TRANSFER);
  abi::Instruction &receive(int stage, uint32_t section, int from, uint32_t tag,
                            const std::vector<uint32_t> &waits = {},
                            abi::StreamKind stream = abi::TRANSFER);
  abi::Instruction &reduce(int stage, uint32_t section, const std::string &op,
                           const std::vector<uint32_t> &waits = {},
                           abi::StreamKind stream = abi::COMMUNICATION);
  void action(int stage, uint32_t section, uint32_t microbatch = 0);

  abi::Executable executable;

private:
  abi::Instruction &add(int stage, uint32_t section, const std::string &op,
                        const std::vector<uint32_t> &waits, abi::StreamKind stream);
  abi::Instruction &message(int stage, uint32_t section, abi::CollectiveKind kind, int peer,
                            uint32_t tag, const std::vector<uint32_t> &waits,
                            abi::StreamKind stream);
  uint32_t buffer(int stage, const std::string &name, int64_t bytes);

  const int dataRanks;
  std::vector<abi::Instruction *> latest;
};

/// Returns the span of execution number `run` (from 0) of an op in a timeline.
simulate::Span spanOf(const abi::Executable &executable, const simulate::Simulation &simulation,
                      size_t timeline, const std::string &op, int run = 0);

} // namespace pcc::test
