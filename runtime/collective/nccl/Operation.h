// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of NCCL, which knows only arrays in one piece.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_OPERATION_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_OPERATION_H

#include "runtime/collective/Communicator.h"
#include "runtime/collective/nccl/Nccl.h"

namespace pcc::runtime::nccl {

/// `peer`: root, or the other side.
struct Operation {
  enum class Kind { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Send, Receive } kind;
  const std::byte *source = nullptr;
  std::byte *target = nullptr;
  int64_t count = 0; ///< as the function counts them: of a gather those of one member
  Type type = Type::Int8;
  Operator reduction = Operator::Sum;
  int peer = 0;
};

/// Type::None for what NCCL does not know.
Type typeOf(abi::ElementType type);

/// Of truth values a sum is `or`, the greatest of zeros and ones, and a product is `and`.
Operator operatorOf(const CollectiveCall &call);

/// Makes the call; between the begin and the end of a group. An error names it: "ncclSend to rank 3
/// of 64 i8: invalid argument", by ranks of the communicator.
Status callOperation(const Nccl &nccl, const Operation &operation, CommHandle comm,
                     StreamHandle stream);

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_OPERATION_H
