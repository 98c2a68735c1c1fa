// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps types and operators to NCCL's, and makes one call. NCCL has no type for BOOL, which travels
// as unsigned bytes.

#include "runtime/collective/nccl/Plan.h"

#include "runtime/abi/ElementTypes.h"

#include <algorithm>

namespace pcc::runtime::nccl {
namespace {

using Kind = Operation::Kind;

struct TypeRow {
  abi::ElementType type;
  Type own;
  const char *name;
};
constexpr TypeRow types[] = {
    {abi::ELEMENT_TYPE_UNSPECIFIED, Type::None, "none"},
    {abi::F32, Type::Float32, "f32"},
    {abi::F16, Type::Float16, "f16"},
    {abi::BF16, Type::BFloat16, "bf16"},
    {abi::I32, Type::Int32, "i32"},
    {abi::I64, Type::Int64, "i64"},
    {abi::I8, Type::Int8, "i8"},
    {abi::BOOL, Type::Uint8, "u8"},
    {abi::F64, Type::Float64, "f64"},
    {abi::I16, Type::None, "i16"},
    {abi::U8, Type::Uint8, "u8"},
    {abi::U16, Type::None, "u16"},
    {abi::U32, Type::Uint32, "u32"},
    {abi::U64, Type::Uint64, "u64"},
};
static_assert(std::size(types) == abi::ElementType_ARRAYSIZE, "every type has a row");

} // namespace

Type typeOf(abi::ElementType type) {
  auto row = std::ranges::find(types, type, &TypeRow::type);
  return row == std::end(types) ? Type::None : row->own;
}

Operator operatorOf(const CollectiveCall &call) {
  switch (call.reduction) {
  case abi::MAX:
    return Operator::Max;
  case abi::MIN:
    return Operator::Min;
  case abi::PROD:
    return call.type == abi::BOOL ? Operator::Min : Operator::Prod;
  default:
    return call.type == abi::BOOL ? Operator::Max : Operator::Sum;
  }
}

namespace {

/// Describes a call, for example "ncclSend to rank 3 of 64 i8".
std::string describeCall(const Operation &own) {
  auto row = std::ranges::find(types, own.type, &TypeRow::own);
  std::string what =
      fmt::format(" of {} {}", own.count, row == std::end(types) ? "none" : row->name);
  switch (own.kind) {
  case Kind::AllReduce:
    return "ncclAllReduce" + what;
  case Kind::AllGather:
    return "ncclAllGather" + what;
  case Kind::ReduceScatter:
    return "ncclReduceScatter" + what;
  case Kind::Broadcast:
    return fmt::format("ncclBroadcast from rank {}{}", own.peer, what);
  case Kind::Reduce:
    return fmt::format("ncclReduce to rank {}{}", own.peer, what);
  case Kind::Send:
    return fmt::format("ncclSend to rank {}{}", own.peer, what);
  case Kind::Receive:
    return fmt::format("ncclRecv from rank {}{}", own.peer, what);
  }
  return what;
}

Code makeCall(const Nccl &nccl, const Operation &own, CommHandle comm, StreamHandle stream) {
  size_t count = size_t(own.count);
  switch (own.kind) {
  case Kind::AllReduce:
    return nccl.allReduce(own.source, own.target, count, own.type, own.reduction, comm, stream);
  case Kind::AllGather:
    return nccl.allGather(own.source, own.target, count, own.type, comm, stream);
  case Kind::ReduceScatter:
    return nccl.reduceScatter(own.source, own.target, count, own.type, own.reduction, comm, stream);
  case Kind::Broadcast:
    return nccl.broadcast(own.source, own.target, count, own.type, own.peer, comm, stream);
  case Kind::Reduce:
    return nccl.reduce(own.source, own.target, count, own.type, own.reduction, own.peer, comm,
                       stream);
  case Kind::Send:
    return nccl.send(own.source, count, own.type, own.peer, comm, stream);
  case Kind::Receive:
    return nccl.receive(own.target, count, own.type, own.peer, comm, stream);
  }
  return Code::InvalidArgument;
}

} // namespace

Status callOperation(const Nccl &nccl, const Operation &own, CommHandle comm, StreamHandle stream) {
  if (own.type == Type::None)
    return Status::badInput(describeCall(own) +
                            ": expected a type that NCCL reduces, got integers of 16 bits; cast "
                            "them to i32 before the reduction");
  Code code = makeCall(nccl, own, comm, stream);
  return code == Code::Success ? Status() : nccl.check(code, describeCall(own), comm);
}

} // namespace pcc::runtime::nccl
