// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of an instruction that change from action to action. They are the same on every device.

#pragma once

#include "runtime/device/Device.h"

#include <vector>

namespace pcc::runtime {

/// Returns whether an instruction adds to its destination in this action.
inline bool adds(abi::Accumulation accumulation, const ActionValues &action) {
  return accumulation == abi::ADD || (accumulation == abi::ADD_AFTER_FIRST && !action.first);
}

/// Returns the action values that adds() depends on.
inline ActionValueUse usedBy(abi::Accumulation accumulation) {
  return {.first = accumulation == abi::ADD_AFTER_FIRST};
}

/// The scalar arguments of a launch on one rank.
class LaunchScalars {
public:
  LaunchScalars(const abi::Launch &launch, const PrepareContext &context);

  /// Returns the arguments of an action; valid until the next call.
  std::vector<int64_t> &at(const ActionValues &action);

  ActionValueUse uses() const;

private:
  /// A scalar that changes from action to action.
  struct Changing {
    size_t index;
    int64_t base;
    abi::Scalar::ActionValue value;
  };
  std::vector<int64_t> values;
  std::vector<Changing> changing;
};

} // namespace pcc::runtime
