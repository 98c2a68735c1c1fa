// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One collective on its way through MPI: one non-blocking collective of MPI, or two, one after the
// other, with what is packed, reduced and unpacked before, between and behind them. Several that
// are fused go together, the values of one behind those of the other (Packing.h).
//
//   kind                          first                          then           second
//   all_reduce, few bytes         all members' values to all     reduced
//   all_reduce                    each process gets its range    reduced        ranges to all
//                                 of all members' values
//   reduce                        all values to the root         reduced
//   reduce_scatter                each gets its blocks           reduced
//   all_gather                    blocks to all                  placed
//   all_to_all, permutations,     each gets its boxes            placed
//   block exchanges
//   broadcast, barrier            the same of MPI
//
// Sums are taken here, in the order of positions, so they have the bits of every other transport.
// Moving all values once and the result once is no more than MPI's own all-reduce moves where each
// process has one member; where it has k, it moves k times that. `Reductions::Library` leaves
// all-reduces to MPI, which sums in an order of its own.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_OPERATION_H
#define PCC_RUNTIME_COLLECTIVE_MPI_OPERATION_H

#include "runtime/collective/mpi/Members.h"
#include "runtime/collective/mpi/MpiLibrary.h"
#include "runtime/collective/mpi/Packing.h"
#include "runtime/collective/mpi/Staging.h"

namespace pcc::runtime::mpi {

/// Who sums.
enum class Reductions { Ordered, Library };

/// Where an operation is started.
struct Channel {
  const PccMpi &mpi;
  PccMpiGroup group;
};

/// What each own member gave, by its index among them: the same calls but for buffers.
using OwnCalls = std::vector<PackedCalls>;

class Operation {
public:
  virtual ~Operation() = default;

  /// Starts the first step; MPI's code.
  virtual int startFirst(const Channel &channel, PccMpiRequest &request) = 0;
  /// What follows when it is done.
  virtual void afterFirst() {}

  /// The same for a second step, if there is one.
  virtual bool hasSecond() const { return false; }
  virtual int startSecond(const Channel &channel, PccMpiRequest &request);
  virtual void afterSecond() {}
};

/// The operation for calls of a group on several processes, of several as chooseOperations has
/// them. `members` and `pool` must outlive it, as must the calls. Error: more elements than MPI
/// counts.
Expected<std::unique_ptr<Operation>> makeOperation(const Members &members, OwnCalls calls,
                                                   Reductions reductions, StagingPool &pool);

// The families of which makeOperation chooses (Moves.cpp, AllGather.cpp, Reductions.cpp,
// AllReduce.cpp). Barriers, broadcasts, reduces and exchanges are of one call.
std::unique_ptr<Operation> makeBarrier();
std::unique_ptr<Operation> makeBroadcast(const Members &members, OwnCalls calls);
std::unique_ptr<Operation> makeAllGather(const Members &members, OwnCalls calls, StagingPool &pool);
std::unique_ptr<Operation> makeExchange(const Members &members, OwnCalls calls, StagingPool &pool);
std::unique_ptr<Operation> makeReduceScatter(const Members &members, OwnCalls calls,
                                             StagingPool &pool);
/// A reduce, or an all-reduce of so few bytes that all values may go to everybody.
std::unique_ptr<Operation> makeReduce(const Members &members, OwnCalls calls, StagingPool &pool);
std::unique_ptr<Operation> makeAllReduce(const Members &members, OwnCalls calls,
                                         Reductions reductions, StagingPool &pool);

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_OPERATION_H
