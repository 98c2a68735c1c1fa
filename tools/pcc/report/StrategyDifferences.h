// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two strategy checkpoints.
#pragma once

#include "runtime/abi/strategy.pb.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::cli {

/// One difference.
struct StrategyDifference {
  std::string what;             ///< `fingerprint`, `mesh`, `op`, `parameter`, `input`
  std::string name;             ///< of the op (`forward:fc1`), parameter or input; else empty
  std::string field;            ///< `device_num`, `input 0`, `shape`; empty: the whole entry
  std::optional<std::string> a; ///< absent: the first checkpoint lacks it
  std::optional<std::string> b;
};

/// Lists the differences: fingerprint and mesh first, then ops, parameters and inputs. Entries of
/// `a` come in its order, then the entries that only `b` has.
std::vector<StrategyDifference> compareStrategies(const abi::Strategy &a, const abi::Strategy &b);

} // namespace pcc::cli
