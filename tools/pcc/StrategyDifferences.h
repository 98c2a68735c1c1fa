// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two strategy checkpoints say differently.
#pragma once

#include "runtime/abi/strategy.pb.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::cli {

/// One thing that they say differently.
struct StrategyDifference {
  std::string what;             ///< `fingerprint`, `mesh`, `op`, `parameter`, `input`
  std::string name;             ///< of the op (`forward:fc1`), parameter or input; else empty
  std::string field;            ///< `device_num`, `input 0`, `shape`; empty: all of it
  std::optional<std::string> a; ///< absent: the first has nothing by that name
  std::optional<std::string> b;
};

/// Fingerprint and mesh first, then ops, parameters and inputs: those of `a` in its order, then
/// those that only `b` has.
std::vector<StrategyDifference> compareStrategies(const abi::Strategy &a, const abi::Strategy &b);

} // namespace pcc::cli
