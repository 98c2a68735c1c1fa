// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the length of a run from counts: the elements of the part, divided by the number of
// periods in the whole tensor.

#include "runtime/abi/program/ParameterParts.h"

#include "runtime/abi/ElementTypes.h"

#include <fmt/format.h>

namespace pcc::abi {

std::string findFault(const ParameterPart &part, int64_t elements) {
  constexpr int64_t maxElements = int64_t(1) << 40;
  std::optional<int64_t> all = elementCount(part.shape());
  if (!all || *all > maxElements || part.period() < 1 || *all % part.period() != 0)
    return fmt::format("expected a period that divides the elements of 'shape', got {}",
                       part.period());
  int64_t periods = *all / part.period(); // 0 for a tensor without elements, which has no parts
  int64_t run = periods ? elements / periods : 0;
  bool isInside = run >= 1 && elements % periods == 0 && part.offset() >= 0 &&
                  part.offset() <= part.period() - run;
  return isInside ? ""
                  : fmt::format("expected {} elements in {} periods of {}, got them from {} on",
                                elements, periods, part.period(), part.offset());
}

Runs runsOf(const Parameter &parameter) {
  if (!parameter.has_part())
    return {};
  const ParameterPart &part = parameter.part();
  int64_t periods = *elementCount(part.shape()) / part.period();
  return {*elementCount(parameter.block().global_shape()) / periods, part.period(), part.offset()};
}

const std::string &nameInFiles(const Parameter &parameter) {
  return parameter.has_part() ? parameter.part().whole() : parameter.name();
}

} // namespace pcc::abi
