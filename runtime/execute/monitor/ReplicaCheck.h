// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds memory that fails: ranks that hold the same block of a parameter or optimizer state must
// hold the same bits, since they compute the same updates in the same order.

#pragma once

#include "runtime/execute/rank/RankExecutor.h"

#include <string>
#include <vector>

namespace pcc::runtime {

class ReplicaCheck {
public:
  /// Finds the blocks that several ranks of a program hold. `executable` must outlive the object.
  explicit ReplicaCheck(const abi::Executable &executable);

  /// Returns whether any two ranks hold the same block.
  bool comparesAny() const { return !blocks.empty(); }

  /// Compares hashes of the blocks on all ranks. Every rank calls it after the same `steps` steps.
  /// Failed on all of them if a block differs: the text names it, and the ranks that are in the
  /// minority.
  Status run(RankExecutor &rank, int64_t steps) const;

private:
  /// A block of a parameter, and the ranks that hold it.
  struct Block {
    const abi::Parameter *parameter = nullptr;
    std::vector<int64_t> ranks; ///< ascending, at least two
  };
  /// Sets `hash` to that of the block on `rank`; absent if the rank does not hold it.
  static Status hashOn(RankExecutor &rank, const Block &block, int64_t &hash);
  static Status describe(RankExecutor &rank, const Block &block, int64_t hash, int64_t steps);

  std::vector<Block> blocks;
};

} // namespace pcc::runtime
