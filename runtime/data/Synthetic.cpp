// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws each value from counter-based random numbers (Random.h); the input's name selects the
// stream. So equal programs and seeds give equal data.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Random.h"
#include "runtime/data/Dataset.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime {
namespace {

/// Returns the number of classes for random integers: the smallest last extent of an output, at
/// least 2, limited by the input's range; 2 for booleans.
int64_t classesOf(const abi::Program &program, const abi::Input &input) {
  if (input.block().type() == abi::BOOL)
    return 2;
  int64_t classes = 0;
  for (const abi::Result &result : program.results()) {
    const auto &shape = result.block().global_shape();
    if (result.role() == abi::OUTPUT && !shape.empty())
      classes = classes ? std::min(classes, *shape.rbegin()) : *shape.rbegin();
  }
  classes = std::max<int64_t>(classes, 2);
  return input.has_range() ? std::clamp<int64_t>(input.range().greatest() + 1, 1, classes)
                           : classes;
}

} // namespace

Dataset makeSyntheticDataset(const abi::Program &program, int64_t rows, uint64_t seed) {
  Dataset dataset{.name = "synthetic", .rows = rows, .fields = {}};
  for (const abi::Input &input : program.inputs()) {
    int64_t classes = classesOf(program, input);
    abi::ElementType type = input.block().type();
    bool isFloat = !abi::isInteger(type);
    Field field{input.name(), isFloat ? Storage::F32 : Storage::I64, {}, {}};
    const auto &shape = input.block().global_shape();
    field.rowShape.assign(shape.begin() + 1, shape.end());
    int64_t count = rows * field.rowElements(), element = int64_t(storageBytes(field.storage));
    std::vector<std::byte> values(count * element);
    uint64_t stream = abi::streamOf(input.name());
    for (int64_t i = 0; i < count; ++i) {
      float real = float(abi::randomUniform(seed, stream, uint64_t(i)));
      int64_t integer = int64_t(abi::randomBits(seed, stream, uint64_t(i)) % uint64_t(classes));
      std::memcpy(values.data() + i * element,
                  isFloat ? static_cast<void *>(&real) : static_cast<void *>(&integer), element);
    }
    field.values = std::move(values);
    dataset.fields.push_back(std::move(field));
  }
  return dataset;
}

} // namespace pcc::runtime
