// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the text at "->" and ",", then checks the letters. The parts refer to the given text,
// which must outlive them.
#include "dialects/graph/EinsumEquation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace pcc::graph {

static bool areLettersOnce(StringRef letters) {
  return all_of(letters,
                [&](char letter) { return isAlpha(letter) && letters.count(letter) == 1; });
}

std::optional<EinsumEquation> EinsumEquation::parse(StringRef text) {
  auto [operands, result] = text.split("->");
  auto [lhs, rhs] = operands.split(',');
  if (operands.size() + result.size() + 2 != text.size() ||
      lhs.size() + rhs.size() + 1 != operands.size())
    return std::nullopt;
  for (StringRef letters : {lhs, rhs, result})
    if (!areLettersOnce(letters))
      return std::nullopt;
  if (!all_of(result, [&](char letter) { return lhs.contains(letter) || rhs.contains(letter); }))
    return std::nullopt;
  return EinsumEquation{lhs, rhs, result};
}

} // namespace pcc::graph
