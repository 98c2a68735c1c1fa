// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/collective/mpi/Members.h"

#include <cstddef>
#include <span>

namespace pcc::runtime::mpi {

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

} // namespace pcc::runtime::mpi
