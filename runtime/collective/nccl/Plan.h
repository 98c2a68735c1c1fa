// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's part of collectives as NCCL has it, which knows only arrays in one piece:
//
//   all_reduce, reduce, broadcast   NCCL's own; where a reduce leaves nothing, zeros
//   all_gather                      NCCL's own along the slowest axis; else what it brings is
//                                   unpacked, box by box
//   reduce_scatter                  the same, packed before
//   all_to_all, permutations,       sends and receives; boxes that are not in one piece are packed
//   block exchange                  before and unpacked after; what is reduced comes to temporary
//                                   memory and is then added, in the order of the boxes
//
// Sums are in NCCL's order, and of f16 and bf16 in that type or a wider one as it chooses.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_PLAN_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_PLAN_H

#include "runtime/collective/gpu/Moves.h"
#include "runtime/collective/nccl/Operation.h"

#include <functional>

namespace pcc::runtime::nccl {

/// What is done first, what of it together, and what then; nothing reads in one part what another
/// call writes there.
struct Plan {
  std::vector<gpu::Move> before;
  std::vector<Operation> operations;
  std::vector<gpu::Move> after;
};

/// Gives temporary memory for so many bytes.
using TakeMemory = std::function<std::byte *(int64_t bytes)>;

/// Adds a call of a collective as the member at `position` has it.
void addCall(const CollectiveCall &call, int position, int members, const TakeMemory &take,
             Plan &plan);

/// Adds a message to or from `peer`, a position in the communicator that carries it.
void addMessage(const CollectiveCall &call, int peer, Plan &plan);

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_PLAN_H
