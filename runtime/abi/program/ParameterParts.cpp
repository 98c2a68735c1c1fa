// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the length of a run from counts: the elements of the part, divided by the number of
// periods in the whole tensor.

#include "runtime/abi/program/ParameterParts.h"

#include "runtime/abi/ElementTypes.h"

namespace pcc::abi {

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
