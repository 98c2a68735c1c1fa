// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the class for a kind of collective. MPI counts elements in 32 bits, so larger steps are
// rejected here, before anything is sent.

#include "runtime/collective/mpi/Operation.h"

#include "runtime/abi/program/CollectiveName.h"
#include "runtime/collective/mpi/Parts.h"

namespace pcc::runtime::mpi {
namespace {

std::unique_ptr<Operation> choose(const Members &members, OwnCalls calls, Reductions reductions,
                                  StagingPool &pool) {
  switch (calls[0][0]->kind) {
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

int Operation::startSecond(const Channel &, PccMpiRequest &) { return 0; }

Expected<std::unique_ptr<Operation>> makeOperation(const Members &members, OwnCalls calls,
                                                   Reductions reductions, StagingPool &pool) {
  const CollectiveCall &call = *calls[0][0];
  if (int64_t most = maxElementsAtOnce(members, call); most > maxElements)
    return Status::failed(fmt::format("{}: expected at most {} elements in one message of MPI, got "
                                      "{}; more processes with fewer ranks each send less at once",
                                      abi::collectiveName(call.kind), maxElements, most));
  int64_t elements = elementsOf(calls[0]);
  std::unique_ptr<Operation> operation = choose(members, std::move(calls), reductions, pool);
  if (pool.ranOutOfMemory())
    return Status::failed(fmt::format("no memory to move {} elements", elements));
  return operation;
}

} // namespace pcc::runtime::mpi
