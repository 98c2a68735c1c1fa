// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls of a batch go through MPI in one operation, and how their values are one array, those
// of one call behind those of the other. What MPI moves is pieces of that array:
//
//   calls      [a0 a1 a2]   [b0 b1]
//   array       a0 a1 a2     b0 b1
//
// Values are copied into that array and out of it. MPI could find them where they are by a derived
// type of their addresses, but only one that is the same for every sender: an all-gather puts the
// blocks of each sender as far behind each other as they are long, of each tensor another length.
// That takes a type for each sender, so MPI_Ialltoallw, which sends each pair's bytes alone instead
// of by a ring or a tree; and Open MPI copies what does not lie in one piece all the same.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_PACKING_H
#define PCC_RUNTIME_COLLECTIVE_MPI_PACKING_H

#include "runtime/collective/Communicator.h"
#include "runtime/collective/mpi/Members.h"

#include <cstddef>
#include <span>

namespace pcc::runtime::mpi {

/// One call of a member or several: all-reduces, all-gathers or reduce-scatters of one type and
/// reduction.
using PackedCalls = std::vector<const CollectiveCall *>;

/// The places in a batch of the calls of each operation, in the order in which these are started,
/// the same in all processes. What is fused goes in one operation as far as that saves time: a
/// large call by itself, and what is more than enough for one operation in several.
std::vector<std::vector<size_t>> chooseOperations(const Members &members,
                                                  std::span<const CollectiveCall> batch);

/// Elements of a call that some process sends or receives in one step: of an all-gather and a
/// reduce those of all members, of others those of all members of one process.
int64_t mostAtOnce(const Members &members, const CollectiveCall &call);

/// Elements of the sources.
int64_t elementsOf(const PackedCalls &calls);

/// Copies elements first … end-1 of the sources to `target`; the byte behind them.
std::byte *pack(const PackedCalls &calls, int64_t first, int64_t end, std::byte *target);

/// Copies values to the destinations of all-reduces, but what lies there already.
void unpack(const std::byte *values, const PackedCalls &calls);

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_PACKING_H
