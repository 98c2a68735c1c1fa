// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours in the list that are started together: collectives of one lane and group that do not
// touch each other's bytes, and messages of the lane COMPUTE. So a ring of sends and receives does
// not hang. What is fused goes with what it is fused with. Other collectives of a group of several
// programs are started alone: their neighbours differ by program, and all members must start the
// same together. The executor and the rendezvous both ask here.
//
// Each message of the lane TRANSFER is started alone. What is started together is waited for
// together, but two messages may end at very different times: one goes to the next stage, the other
// to a stage that needs it much later. Whoever waits for the first must not wait for the second.

#ifndef PCC_RUNTIME_CHECK_NEIGHBOURS_H
#define PCC_RUNTIME_CHECK_NEIGHBOURS_H

#include "runtime/abi/program.pb.h"

#include <set>
#include <span>
#include <vector>

namespace pcc::check {

/// Finds neighbours in one program, which must outlive it.
class Neighbours {
public:
  Neighbours(const abi::Executable &executable, const abi::Program &program);

  /// Whether `next` is started together with the collectives before it, which are. A record that
  /// waits for something else than they do is started on its own, unless that is done anyway.
  bool join(std::span<const abi::Record *const> together, const abi::Record &next) const;

private:
  bool haveOneList(const abi::Record &a, const abi::Record &b) const;

  const abi::Executable &executable;
  const abi::Program &program;
  /// Events of records of COMPUTE, which are done before what stands behind them is started.
  std::set<uint32_t> ofCompute;
  /// By group: whether its lists have ranks of several programs.
  std::vector<bool> spansPrograms;
};

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_NEIGHBOURS_H
