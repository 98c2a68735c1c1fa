// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the members of a group started the same collectives. MPI itself would hang, or write
// where it must not.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_AGREEMENT_H
#define PCC_RUNTIME_COLLECTIVE_MPI_AGREEMENT_H

#include "runtime/collective/mpi/Members.h"
#include "runtime/collective/mpi/Operation.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime::mpi {

/// A comparison of one batch between the processes of a group: first of short numbers; where they
/// differ, of all that the members say.
class Agreement {
public:
  /// `calls`: the batch of each own member.
  Agreement(const Members &members, Channel channel,
            std::span<const std::span<const CollectiveCall>> calls);

  /// Stands for what the own members say: equal for equal batches, and but for odds of 1 in 2^64
  /// for no others.
  uint64_t number() const { return hash; }

  /// Starts the comparison.
  void begin();
  /// Nothing while it goes on; else success, or the first difference with the ranks of two members.
  std::optional<Status> poll();

private:
  void compareWhole();
  Status judge() const;

  const Members &members;
  const Channel channel;
  /// What own members say, once if they say the same, and what all processes say.
  std::string own, all;
  uint64_t hash = 0;
  /// By process: the hash and the length of what it says.
  std::vector<uint64_t> heads;
  std::vector<int32_t> counts, offsets;
  int code = 0;
  PccMpiRequest request = 0;
  bool isWhole = false;
};

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_AGREEMENT_H
