// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One collective implemented with MPI: one or two consecutive non-blocking MPI collectives, with
// packing, reducing and unpacking before, between and after them. Fused calls go together: the
// values of one follow those of the other (Packing.cpp).
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
// Sums are computed here, in the order of positions, so they have the same bits as on every other
// transport. Moving all values once and the result once costs as much as MPI's own all-reduce if
// each process has one member. If it has k members, this moves k times as much.
// `Reductions::Library` leaves all-reduces to MPI, which sums in its own order.

#pragma once

#include "runtime/base/Base.h"
#include "runtime/collective/Communicator.h"
#include "runtime/collective/mpi/Members.h"
#include "runtime/collective/mpi/MpiLibrary.h"

#include <cstddef>
#include <map>
#include <span>

namespace pcc::runtime::mpi {

//===-- Packing.cpp ---------------------------------------------------------------------------===//

// Chooses which calls of a batch share one MPI operation, and packs their values into one array,
// call after call. MPI moves parts of that array:
//
//   calls      [a0 a1 a2]   [b0 b1]
//   array       a0 a1 a2     b0 b1
//
// Values are copied into that array and out of it. A derived MPI datatype of their addresses would
// avoid the copy, but it must be the same for every sender. An all-gather places the blocks of each
// sender at a distance equal to their length, which differs by tensor. So it would need a datatype
// per sender, that is MPI_Ialltoallw, which sends each pair's bytes separately instead of using a
// ring or a tree. Besides, Open MPI copies non-contiguous data anyway.

/// One or several calls of a member: all-reduces, all-gathers or reduce-scatters of one type and
/// reduction.
using PackedCalls = std::vector<const CollectiveCall *>;

/// Returns for each operation the indices of its calls in a batch, in starting order, the same in
/// all processes. Fused calls share one operation as far as that saves time. A large call is alone,
/// and too many bytes for one operation are split into several.
std::vector<std::vector<size_t>> chooseOperations(const Members &members,
                                                  std::span<const CollectiveCall> batch);

/// Returns the maximum elements of a call that some process sends or receives in one step. For an
/// all-gather and a reduce these are the elements of all members, for other kinds those of all
/// members of one process.
int64_t maxElementsAtOnce(const Members &members, const CollectiveCall &call);

/// Returns the elements of the sources.
int64_t elementsOf(const PackedCalls &calls);

/// Copies elements first … end-1 of the sources to `target`. Returns the end of the copy.
std::byte *pack(const PackedCalls &calls, int64_t first, int64_t end, std::byte *target);

/// Copies values to the destinations of all-reduces, unless they are already in place.
void unpack(const std::byte *values, const PackedCalls &calls);

//===-- Operation.cpp -------------------------------------------------------------------------===//

class StagingPool;

/// Memory between a rank's buffers and MPI, from a pool, which must outlive it. Null by default.
class Staging {
public:
  Staging() = default;
  Staging(StagingPool &pool, int64_t bytes);
  Staging(Staging &&other) noexcept { *this = std::move(other); }
  Staging &operator=(Staging &&other) noexcept {
    std::swap(pool, other.pool);
    std::swap(bytes, other.bytes);
    std::swap(memory, other.memory);
    return *this;
  }
  ~Staging();

  std::byte *data() const { return memory.get(); }

private:
  StagingPool *pool = nullptr;
  int64_t bytes = 0;
  AlignedBytes memory;
};

/// Each training step needs the same sizes again, so the pool keeps returned memory. Used by one
/// thread.
class StagingPool {
public:
  AlignedBytes take(int64_t bytes) {
    AlignedBytes memory;
    if (auto found = idle.find(bytes); found != idle.end()) {
      memory = std::move(found->second);
      idle.erase(found);
    } else {
      memory = allocateAligned(uint64_t(bytes));
    }
    isShort |= !memory;
    return memory;
  }
  /// Returns whether a request ever failed for lack of memory.
  bool ranOutOfMemory() const { return isShort; }

  void giveBack(int64_t bytes, AlignedBytes memory) { idle.emplace(bytes, std::move(memory)); }

private:
  std::multimap<int64_t, AlignedBytes> idle;
  bool isShort = false;
};

inline Staging::Staging(StagingPool &pool, int64_t bytes)
    : pool(&pool), bytes(bytes), memory(pool.take(bytes)) {}

inline Staging::~Staging() {
  if (memory)
    pool->giveBack(bytes, std::move(memory));
}

/// Sums are computed in order here, or by the MPI library.
enum class Reductions { Ordered, Library };

/// The communicator on which an operation is started.
struct Channel {
  const PccMpi &mpi;
  PccMpiGroup group;
};

/// The calls of each own member, by its index: the same calls except for buffers.
using OwnCalls = std::vector<PackedCalls>;

class Operation {
public:
  virtual ~Operation() = default;

  /// Starts the first step. Returns MPI's error code.
  virtual int startFirst(const Channel &channel, PccMpiRequest &request) = 0;
  /// Does the work after the first step.
  virtual void afterFirst() {}

  /// The same for a second step, if there is one.
  virtual bool hasSecond() const { return false; }
  virtual int startSecond(const Channel &channel, PccMpiRequest &request);
  virtual void afterSecond() {}
};

/// Creates the operation for calls of a group on several processes. Several calls must be grouped
/// as by chooseOperations. `members`, `pool` and the calls must outlive the operation. Error: more
/// elements than MPI can count.
Expected<std::unique_ptr<Operation>> makeOperation(const Members &members, OwnCalls calls,
                                                   Reductions reductions, StagingPool &pool);

// The kinds of operations among which makeOperation chooses (DataMovement.cpp, AllGather.cpp,
// Reductions.cpp, AllReduce.cpp). Barriers, broadcasts, reduces and exchanges have one call.
std::unique_ptr<Operation> makeBarrier();
std::unique_ptr<Operation> makeBroadcast(const Members &members, OwnCalls calls);
std::unique_ptr<Operation> makeAllGather(const Members &members, OwnCalls calls, StagingPool &pool);
std::unique_ptr<Operation> makeExchange(const Members &members, OwnCalls calls, StagingPool &pool);
std::unique_ptr<Operation> makeReduceScatter(const Members &members, OwnCalls calls,
                                             StagingPool &pool);
/// A reduce, or an all-reduce of so few bytes that all values may go to every process.
std::unique_ptr<Operation> makeReduce(const Members &members, OwnCalls calls, StagingPool &pool);
std::unique_ptr<Operation> makeAllReduce(const Members &members, OwnCalls calls,
                                         Reductions reductions, StagingPool &pool);

} // namespace pcc::runtime::mpi
