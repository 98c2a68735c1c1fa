// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the loss that a rank has in its memory to the whole batch's, and to the rank's own.

#ifndef PCC_RUNTIME_EXECUTE_LOSSES_H
#define PCC_RUNTIME_EXECUTE_LOSSES_H

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Stages.h"
#include "runtime/execute/RankExecutor.h"

#include <span>

namespace pcc::runtime {

class LossReader {
public:
  /// `executable` must outlive it.
  explicit LossReader(const abi::Executable &executable);

  /// False if the program has no result of role LOSS.
  bool hasLoss() const { return loss != nullptr; }

  /// Whether the rank has the loss: those of the program that makes it.
  bool isAt(int64_t rank) const { return loss && ranks.holds(rank); }

  /// Whether the rank's value counts in the whole batch's loss.
  bool countsAt(int64_t rank) const { return loss && counts[size_t(rank)]; }

  /// Whether the rank has it behind this section.
  bool isMadeBy(uint32_t section, int64_t rank) const {
    return isAt(rank) && loss->section() == section;
  }
  /// Where it is, and what its bytes say.
  uint32_t buffer() const { return loss->buffer(); }
  uint64_t bytes() const { return abi::elementBytes(loss->block().type()); }
  double value(std::span<const std::byte> bytes) const;

  /// Stores the rank's value, if `section` is the one that makes it.
  Status readAfter(uint32_t section, const RankExecutor &rank, double &value) const;

  /// The whole batch's loss from every rank's value: summed, in the order of ranks, over the axes
  /// on which it is partial.
  double total(std::span<const double> values) const;

  /// The rank's own loss from its value.
  double own(double value) const;

private:
  const abi::Result *loss = nullptr;
  abi::RankRange ranks;
  /// By rank: whether its value counts in the sum.
  std::vector<bool> counts;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_LOSSES_H
