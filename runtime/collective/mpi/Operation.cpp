// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/mpi/Operation.h"

#include "runtime/collective/mpi/Parts.h"

#include <algorithm>

namespace pcc::runtime::mpi {
namespace {

std::unique_ptr<Operation> choose(const Members &members, OwnCalls calls, Reductions reductions,
                                  StagingPool &pool) {
  switch (calls[0]->kind) {
  case abi::BARRIER:
    return makeBarrier();
  case abi::BROADCAST:
    return makeBroadcast(members, std::move(calls));
  case abi::ALL_GATHER:
    return makeAllGather(members, std::move(calls), pool);
  case abi::REDUCE_SCATTER:
    return makeReduceScatter(members, std::move(calls), pool);
  case abi::REDUCE:
    return makeReduce(members, std::move(calls), pool);
  case abi::ALL_REDUCE:
    return makeAllReduce(members, std::move(calls), reductions, pool);
  default:
    return makeExchange(members, std::move(calls), pool);
  }
}

} // namespace

/// Elements that some process sends or receives in one step.
static int64_t mostAtOnce(const Members &members, const CollectiveCall &call) {
  if (call.kind == abi::ALL_GATHER || call.kind == abi::REDUCE)
    return call.count() * members.size();
  size_t own = 1;
  for (const std::vector<int> &positions : members.positionsOf)
    own = std::max(own, positions.size());
  return call.count() * int64_t(own);
}

int Operation::startSecond(const Channel &, PccMpiRequest &) { return 0; }

Expected<std::unique_ptr<Operation>> makeOperation(const Members &members, OwnCalls calls,
                                                   Reductions reductions, StagingPool &pool) {
  const CollectiveCall &call = *calls[0];
  if (int64_t most = mostAtOnce(members, call); most > mostElements)
    return Status::failed(fmt::format("{}: expected at most {} elements in one message of MPI, got "
                                      "{}; more processes with fewer ranks each send less at once",
                                      collectiveName(call.kind), mostElements, most));
  std::unique_ptr<Operation> operation = choose(members, std::move(calls), reductions, pool);
  if (pool.ranShort())
    return Status::failed(fmt::format("no memory to move {} elements", call.count()));
  return operation;
}

} // namespace pcc::runtime::mpi
