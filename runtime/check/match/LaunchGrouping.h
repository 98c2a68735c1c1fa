// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which neighboring instructions start together. These are collectives of one stream and
// group that do not touch each other's bytes, and messages on the stream COMPUTE. So a ring of
// sends and receives does not hang. A fused member starts with its fused collective. If a group
// spans several programs, its collectives start alone: neighbors differ by program, and all members
// must start the same set. The executor and the rendezvous check both use this class.
//
// Each message on the stream TRANSFER starts alone. Instructions that start together are awaited
// together, but two messages may end at very different times: one goes to the next stage, the other
// to a much later one. An instruction that waits for the first must not wait for the second.

#pragma once

#include "runtime/abi/program.pb.h"

#include <set>
#include <span>
#include <vector>

namespace pcc::check {

/// Finds neighbors that start together in one program, which must outlive this object.
class LaunchGrouping {
public:
  LaunchGrouping(const abi::Executable &executable, const abi::Program &program);

  /// Whether `next` starts together with the collectives before it, which start together. An
  /// instruction with an additional wait starts alone, unless COMPUTE satisfies that wait before.
  bool join(std::span<const abi::Instruction *const> together, const abi::Instruction &next) const;

private:
  bool haveSameMembers(const abi::Instruction &a, const abi::Instruction &b) const;

  const abi::Executable &executable;
  const abi::Program &program;
  /// Events of COMPUTE instructions, which are done before later instructions of the list start.
  std::set<uint32_t> ofCompute;
  /// By group: whether its lists have ranks of several programs.
  std::vector<bool> spansPrograms;
};

} // namespace pcc::check
