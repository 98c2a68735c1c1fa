// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks whether the members of a group started the same collectives. With different ones MPI
// itself would hang or write out of bounds.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_AGREEMENT_H
#define PCC_RUNTIME_COLLECTIVE_MPI_AGREEMENT_H

#include "runtime/collective/mpi/Members.h"
#include "runtime/collective/mpi/Operation.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime::mpi {

/// A comparison of one batch between the processes of a group: first of hashes, and if they differ,
/// of the members' full descriptions.
class Agreement {
public:
  /// `calls`: the batch of each own member.
  Agreement(const Members &members, Channel channel,
            std::span<const std::span<const CollectiveCall>> calls);

  /// Returns a hash of the own members' batches: equal for equal batches, and different for
  /// different ones except with probability 2^-64.
  uint64_t number() const { return hash; }

  /// Starts the comparison.
  void begin();
  /// Returns nothing while the comparison is running, then success, or the first difference with
  /// the ranks of two members.
  std::optional<Status> poll();

private:
  void compareWhole();
  Status judge() const;

  const Members &members;
  const Channel channel;
  /// `own`: descriptions by own members, only one if all are equal. `all`: descriptions by all
  /// processes.
  std::string own, all;
  uint64_t hash = 0;
  /// By process: the hash and the length of its description.
  std::vector<uint64_t> heads;
  std::vector<int32_t> counts, offsets;
  int code = 0;
  PccMpiRequest request = 0;
  bool isWhole = false;
};

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_AGREEMENT_H
