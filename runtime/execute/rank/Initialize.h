// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializes parameters.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstddef>
#include <cstdint>

namespace pcc::runtime {

/// Writes the block of `parameter` that `rank` holds to `out`. The value of an element depends only
/// on the seed, the parameter's name and the element's index in the global tensor.
void initialize(const abi::Parameter &parameter, const abi::Mesh &mesh, int64_t rank, uint64_t seed,
                std::byte *out);

} // namespace pcc::runtime
