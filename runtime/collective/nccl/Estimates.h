// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL's own time estimates for collectives. NCCL provides them for a group of calls that is closed
// with ncclGroupSimulateEnd instead of ncclGroupEnd; nothing is enqueued on a stream. But it
// provides them only
//
// * for communicators with blocking calls; the group of another communicator would run, without an
//   estimate
// * for its own collectives, not for sends and receives, and in a group only for the last call
//
// Therefore communicators are made for this purpose alone, and each collective is a group of its
// own.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/collective/nccl/Nccl.h"

#include <optional>

namespace pcc::runtime::nccl {

/// The result of a simulation. The first three fields identify the header version.
struct SimulationInfo {
  size_t size = sizeof(SimulationInfo);
  unsigned magic = 0x74685283;
  unsigned version = 22809;
  float microseconds = -1; ///< below 0: no estimate
};

/// Available since NCCL 2.22; a program runs without it.
struct Simulator {
  Code (*groupSimulateEnd)(SimulationInfo *info);

  static std::vector<Symbol> table(Simulator &library);
};

/// Returns the seconds of each collective among members on the GPUs of this machine with the
/// numbers `gpus`; nothing where NCCL has no estimate. Reads the kind, reduction, type, shape of
/// the source, axis and root of each call. Errors: Unavailable without NCCL or a driver; errors of
/// either.
Expected<std::vector<std::optional<double>>> estimate(std::span<const int> gpus,
                                                      std::span<const CollectiveCall> calls);

} // namespace pcc::runtime::nccl
