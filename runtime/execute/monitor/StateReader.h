// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the states of the training that a rank holds (runtime/abi/program/TrainingStates.h), as
// they are after each of its steps. Steps are taken and read in the same order as their losses
// (DeferredLossReader).

#pragma once

#include "runtime/execute/rank/RankExecutor.h"

#include <array>

namespace pcc::runtime {

/// Numbers with names, in a fixed order.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// Returns the names of the states that a rank holds, as the metrics file names them.
std::vector<std::string> listStates(const abi::Executable &executable, int64_t rank);

class StateReader {
public:
  /// A rank takes at most `ahead` + 1 steps before it reads the first of them.
  static Expected<StateReader> make(RankExecutor &rank, int64_t ahead);

  /// Called at the end of each step.
  Status take();
  /// Returns the states after the oldest unread step.
  Expected<NamedNumbers> read();

private:
  struct State {
    std::string name;
    abi::ElementType type;
    std::vector<std::unique_ptr<Snapshot>> snapshots; ///< used in turn
  };

  explicit StateReader(RankExecutor &rank) : rank(&rank) {}

  RankExecutor *rank;
  std::vector<State> states;
  size_t taken = 0, readCount = 0;
};

} // namespace pcc::runtime
