// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of NCCL, which supports only contiguous arrays.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_OPERATION_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_OPERATION_H

#include "runtime/collective/Communicator.h"
#include "runtime/collective/nccl/Nccl.h"

namespace pcc::runtime::nccl {

/// The arguments of a call. `peer`: the root, or the other side.
struct Operation {
  enum class Kind { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Send, Receive } kind;
  const std::byte *source = nullptr;
  std::byte *target = nullptr;
  int64_t count = 0; ///< as the function counts: for a gather, the elements of one member
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

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_OPERATION_H
