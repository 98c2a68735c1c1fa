// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies constants and stored data, and draws random elements with counter-based random numbers
// (Random.h). The counter is the element's index in the whole tensor that files store, of which a
// parameter may be a part, so shardings and parts do not change the values.

#include "runtime/execute/rank/Initialize.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Random.h"
#include "runtime/abi/program/ParameterParts.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/execute/rank/Tensor.h"

#include <vector>

namespace pcc::runtime {
namespace {

/// Returns the value of element `index` of the whole tensor. `stream` is its stream of random
/// numbers.
double valueAt(const abi::Initializer &initializer, uint64_t seed, uint64_t stream,
               uint64_t index) {
  switch (initializer.kind_case()) {
  case abi::Initializer::kConstant:
    return initializer.constant();
  case abi::Initializer::kUniform: {
    const abi::Initializer::Uniform &uniform = initializer.uniform();
    return abi::randomUniform(seed, stream, index, uniform.low(), uniform.high());
  }
  case abi::Initializer::kNormal: {
    const abi::Initializer::Normal &normal = initializer.normal();
    return abi::randomNormal(seed, stream, index, normal.mean(), normal.deviation());
  }
  default:
    return 0;
  }
}

} // namespace

Status initialize(const abi::Parameter &parameter, const abi::Mesh &mesh, int64_t rank,
                  uint64_t seed, abi::DataReader &data, const Parallel &parallel, std::byte *out) {
  const abi::Block &block = parameter.block();
  if (abi::initialBytes(parameter.initializer()).has_value())
    return readBlock(
        block, mesh, rank,
        [&](int64_t offset, std::span<std::byte> run) {
          return data.readInitial(parameter.initializer(), uint64_t(offset), run);
        },
        out);
  uint64_t stream = abi::streamOf(abi::nameInFiles(parameter));
  abi::Runs runs = abi::runsOf(parameter);
  int64_t elementBytes = int64_t(abi::elementBytes(block.type()));
  std::vector<int64_t> offsets = abi::offsetsOf(block, mesh, rank);
  parallel(*abi::elementCount(block.local_shape()), [&](int64_t begin, int64_t end) {
    forEachRun(block, offsets, begin, end, [&](int64_t i, int64_t global, int64_t count) {
      for (int64_t k = 0; k < count; ++k)
        storeElement(
            block.type(), out + (i + k) * elementBytes,
            valueAt(parameter.initializer(), seed, stream, uint64_t(runs.inWhole(global + k))));
    });
  });
  return {};
}

} // namespace pcc::runtime
