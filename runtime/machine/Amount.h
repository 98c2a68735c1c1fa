// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers with units, as people write them: `10Gbps`, `80GB`.

#pragma once

#include <span>
#include <string_view>

namespace pcc::machine {

struct Unit {
  std::string_view name;
  double factor;
};

/// Returns the number in `text` times the factor of its unit; 0 for anything else.
double parseAmount(std::string_view text, std::span<const Unit> units);

} // namespace pcc::machine
