// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A window of the successors begins one element later, so it needs no values of its own.

#include "runtime/data/formats/SequenceWindows.h"

namespace pcc::runtime {

Expected<Dataset> makeWindows(const std::string &name, const Sequence &sequence, int64_t length) {
  int64_t count = sequence.values.bytes() / int64_t(storageBytes(sequence.storage));
  if (count <= length)
    return Status::badInput(
        fmt::format("{}: expected at least {} {}s, a row of {} and the {} after it, got {}", name,
                    length + 1, sequence.unit, length, sequence.unit, count));
  Dataset dataset{.name = name, .rows = (count - 1) / length, .fields = {}};
  for (bool isNext : {false, true}) {
    Field field{isNext ? "next" : sequence.field, sequence.storage, {length}, sequence.values};
    field.unit = sequence.unit;
    field.first = isNext;
    dataset.fields.push_back(std::move(field));
  }
  return dataset;
}

} // namespace pcc::runtime
