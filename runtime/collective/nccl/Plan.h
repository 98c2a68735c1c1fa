// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans a rank's part of collectives with NCCL, which supports only contiguous arrays:
//
//   all_reduce, reduce, broadcast   NCCL's own; a reduce zeros the other destinations
//   all_gather                      NCCL's own along the slowest axis; else its result is
//                                   unpacked, box by box
//   reduce_scatter                  the same, packed before
//   all_to_all, permutations,       sends and receives; non-contiguous boxes are packed before
//   block exchange                  and unpacked after; reduced boxes go to temporary memory
//                                   and are then added, in the order of the boxes
//
// Sums are in NCCL's order. Sums of f16 and bf16 are in that type or in a wider one, as NCCL
// chooses.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/collective/gpu/Moves.h"
#include "runtime/collective/nccl/Nccl.h"

#include <functional>

namespace pcc::runtime::nccl {

/// The arguments of a call of NCCL. `peer`: the root, or the other side.
struct Operation {
  enum class Kind { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Send, Receive } kind;
  const std::byte *source = nullptr;
  std::byte *target = nullptr;
  int64_t count = 0; ///< argument of the NCCL function; for a gather, elements of one member
  Type type = Type::Int8;
  Operator reduction = Operator::Sum;
  int peer = 0;
};

/// Returns Type::None for types that NCCL does not support.
Type typeOf(abi::ElementType type);

/// Returns NCCL's operator. For BOOL, a sum is `or`, the maximum of zeros and ones; a product is
/// `and`.
Operator operatorOf(const CollectiveCall &call);

/// Makes the call, between the start and the end of a group. An error names it with the
/// communicator's ranks: "ncclSend to rank 3 of 64 i8: invalid argument".
Status callOperation(const Nccl &nccl, const Operation &operation, CommHandle comm,
                     StreamHandle stream);

/// Local copies before the group call, the NCCL calls of the group, and local copies after it.
/// Collectives of a batch do not read each other's results, so they share the three lists.
struct Plan {
  std::vector<gpu::Move> before;
  std::vector<Operation> operations;
  std::vector<gpu::Move> after;
};

/// Returns temporary memory of `bytes` bytes.
using TakeMemory = std::function<std::byte *(int64_t bytes)>;

/// Adds a call of a collective for the member at `position`.
void addCall(const CollectiveCall &call, int position, int members, const TakeMemory &take,
             Plan &plan);

/// Adds a message to or from `peer`, a position in the communicator that carries it.
void addMessage(const CollectiveCall &call, int peer, Plan &plan);

} // namespace pcc::runtime::nccl
