// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NCCL itself expects collectives to take. It tells that of a group of calls that is simulated
// instead of ended: nothing comes to a stream. But it does so
//
//   * for communicators whose calls block alone; another's group would run, and tell nothing
//   * for its own collectives, not for sends and receives, and of several for the last one
//
// So communicators are made for this alone, and each collective is a group of its own.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_ESTIMATES_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_ESTIMATES_H

#include "runtime/collective/Communicator.h"
#include "runtime/collective/nccl/Nccl.h"

#include <optional>

namespace pcc::runtime::nccl {

/// What a simulation tells. The first three fields tell the library of which header it is.
struct SimulationInfo {
  size_t size = sizeof(SimulationInfo);
  unsigned magic = 0x74685283;
  unsigned version = 22809;
  float microseconds = -1; ///< below 0: it does not say
};

/// Since NCCL 2.22; a program runs without it.
struct Simulator {
  Code (*groupSimulateEnd)(SimulationInfo *info);

  static std::vector<Symbol> table(Simulator &library);
};

/// Seconds of each of these collectives among as many members as there are GPUs, which are those of
/// this machine with these numbers; nothing where NCCL does not say. Of a call the kind, reduction,
/// type, shape of the source, axis and root count. Errors: Unavailable without NCCL or a driver;
/// theirs.
Expected<std::vector<std::optional<double>>> estimate(std::span<const int> gpus,
                                                      std::span<const CollectiveCall> calls);

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_ESTIMATES_H
