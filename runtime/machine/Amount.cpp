// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/machine/Amount.h"

#include <charconv>
#include <cmath>

namespace pcc::machine {

double parseAmount(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return 0;
  std::string_view name = text.substr(size_t(end - text.data()));
  for (const Unit &unit : units)
    if (unit.name == name)
      return number * unit.factor;
  return 0;
}

} // namespace pcc::machine
