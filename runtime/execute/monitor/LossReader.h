// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the whole batch's loss, and the rank's own loss, from the values in the ranks' memories.

#pragma once

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <span>

namespace pcc::runtime {

class LossReader {
public:
  /// `executable` must outlive it.
  explicit LossReader(const abi::Executable &executable);

  /// Returns false if the program has no result of role LOSS.
  bool hasLoss() const { return loss != nullptr; }

  /// Returns whether `rank` has the loss: it runs the program that computes the loss.
  bool isAt(int64_t rank) const { return loss && ranks.holds(rank); }

  /// Returns whether the rank's value counts in the whole batch's loss.
  bool countsAt(int64_t rank) const { return loss && counts[size_t(rank)]; }

  /// Returns whether the rank has the loss after this section.
  bool isMadeBy(uint32_t section, int64_t rank) const {
    return isAt(rank) && loss->section() == section;
  }
  /// The loss's buffer, its size in bytes, and the value that its bytes encode.
  uint32_t buffer() const { return loss->buffer(); }
  uint64_t bytes() const { return abi::elementBytes(loss->block().type()); }
  double value(std::span<const std::byte> bytes) const;

  /// Stores the rank's value in `value` if `section` computes the loss.
  Status readAfter(uint32_t section, const RankExecutor &rank, double &value) const;

  /// Returns the whole batch's loss from every rank's value. The values are summed in rank order
  /// over the axes on which the loss is partial.
  double total(std::span<const double> values) const;

  /// Returns the rank's own loss from its value.
  double own(double value) const;

private:
  const abi::Result *loss = nullptr;
  abi::RankRange ranks;
  /// By rank: whether its value counts in the sum.
  std::vector<bool> counts;
};

} // namespace pcc::runtime
