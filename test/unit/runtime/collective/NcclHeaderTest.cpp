// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of NCCL with NVIDIA's: prototypes, numbers, and the structs that calls
// pass. Built if there is an nccl.h.

#include "runtime/collective/nccl/Estimates.h"
#include "runtime/collective/nccl/Nccl.h"

#include "test/unit/runtime/device/HeaderShape.h"

#include <gtest/gtest.h>
#include <nccl.h>

#include <cstring>
#include <set>

namespace pcc::test {
namespace {

using namespace runtime::nccl;

/// Maps structs that are passed by value; each header has its own names for them.
template <typename T> struct Passed {
  using Type = T;
};
template <> struct Passed<ncclUniqueId> {
  using Type = UniqueId;
};
template <typename R, typename... Arguments> struct Passed<R (*)(Arguments...)> {
  using Type = R (*)(typename Passed<Arguments>::Type...);
};

/// Checks that a field of the table has the prototype of the function.
#define SAME(field, function)                                                                      \
  static_assert(sameShape<decltype(Nccl::field), Passed<decltype(&::function)>::Type>);            \
  names.insert(#function)

TEST(NcclHeader, PrototypesAndNames) {
  std::set<std::string> names;
  SAME(getVersion, ncclGetVersion);
  SAME(getErrorString, ncclGetErrorString);
  SAME(getLastError, ncclGetLastError);
  SAME(getUniqueId, ncclGetUniqueId);
  SAME(commInitRankConfig, ncclCommInitRankConfig);
  SAME(commSplit, ncclCommSplit);
  SAME(commGetAsyncError, ncclCommGetAsyncError);
  SAME(commFinalize, ncclCommFinalize);
  SAME(commDestroy, ncclCommDestroy);
  SAME(commAbort, ncclCommAbort);
  SAME(groupStart, ncclGroupStart);
  SAME(groupEnd, ncclGroupEnd);
  SAME(allReduce, ncclAllReduce);
  SAME(allGather, ncclAllGather);
  SAME(reduceScatter, ncclReduceScatter);
  SAME(broadcast, ncclBroadcast);
  SAME(reduce, ncclReduce);
  SAME(send, ncclSend);
  SAME(receive, ncclRecv);
  Nccl library;
  std::set<std::string> own;
  for (const runtime::Symbol &row : Nccl::table(library))
    own.insert(row.name);
  EXPECT_EQ(own, names);
  EXPECT_EQ(own.size() * sizeof(void *), sizeof library) << "every field has a row";
}

// The group simulation has a table of its own.
TEST(NcclHeader, Simulation) {
  static_assert(
      sameShape<decltype(Simulator::groupSimulateEnd), decltype(&::ncclGroupSimulateEnd)>);
  Simulator library;
  ASSERT_EQ(Simulator::table(library).size(), 1u);
  EXPECT_STREQ(Simulator::table(library)[0].name, "ncclGroupSimulateEnd");
  ncclSimInfo_t real = NCCL_SIM_INFO_INITIALIZER;
  SimulationInfo own;
  real.version = own.version;
  ASSERT_EQ(sizeof own, sizeof real);
  EXPECT_EQ(std::memcmp(&own, &real, offsetof(SimulationInfo, microseconds)), 0);
  EXPECT_EQ(offsetof(SimulationInfo, microseconds), offsetof(ncclSimInfo_t, estimatedTime));
  EXPECT_EQ(own.microseconds, real.estimatedTime);
}

TEST(NcclHeader, Numbers) {
  EXPECT_EQ(int(Code::Success), ncclSuccess);
  EXPECT_EQ(int(Code::UnhandledCudaError), ncclUnhandledCudaError);
  EXPECT_EQ(int(Code::SystemError), ncclSystemError);
  EXPECT_EQ(int(Code::InternalError), ncclInternalError);
  EXPECT_EQ(int(Code::InvalidArgument), ncclInvalidArgument);
  EXPECT_EQ(int(Code::InvalidUsage), ncclInvalidUsage);
  EXPECT_EQ(int(Code::RemoteError), ncclRemoteError);
  EXPECT_EQ(int(Code::InProgress), ncclInProgress);
  EXPECT_EQ(int(Type::Int8), ncclInt8);
  EXPECT_EQ(int(Type::Uint8), ncclUint8);
  EXPECT_EQ(int(Type::Int32), ncclInt32);
  EXPECT_EQ(int(Type::Uint32), ncclUint32);
  EXPECT_EQ(int(Type::Int64), ncclInt64);
  EXPECT_EQ(int(Type::Uint64), ncclUint64);
  EXPECT_EQ(int(Type::Float16), ncclFloat16);
  EXPECT_EQ(int(Type::Float32), ncclFloat32);
  EXPECT_EQ(int(Type::Float64), ncclFloat64);
  EXPECT_EQ(int(Type::BFloat16), ncclBfloat16);
  EXPECT_EQ(int(Operator::Sum), ncclSum);
  EXPECT_EQ(int(Operator::Prod), ncclProd);
  EXPECT_EQ(int(Operator::Max), ncclMax);
  EXPECT_EQ(int(Operator::Min), ncclMin);
  EXPECT_EQ(unset, NCCL_CONFIG_UNDEF_INT);
  EXPECT_EQ(sizeof(UniqueId), size_t(NCCL_UNIQUE_ID_BYTES));
}

// Offsets and default values of fields. The header may have another patch version.
TEST(NcclHeader, Config) {
  ncclConfig_t real = NCCL_CONFIG_INITIALIZER;
  Config own;
  real.version = own.version;
  EXPECT_EQ(sizeof own, sizeof real);
  EXPECT_EQ(std::memcmp(&own, &real, sizeof own), 0);
  EXPECT_EQ(own.version / 100, unsigned(NCCL_VERSION_CODE) / 100);
  own.blocking = real.blocking = 0;
  own.maxCTAs = real.maxCTAs = 7;
  own.splitShare = real.splitShare = 1;
  EXPECT_EQ(std::memcmp(&own, &real, sizeof own), 0);
}

} // namespace
} // namespace pcc::test
