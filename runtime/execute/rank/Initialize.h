// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializes parameters.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstddef>
#include <cstdint>

namespace pcc::runtime {

/// Writes the block of `parameter` that `rank` holds to `out`. A random value depends only on the
/// seed, the name of the tensor that files store, and the element's index there (ParameterParts.h).
void initialize(const abi::Parameter &parameter, const abi::Mesh &mesh, int64_t rank, uint64_t seed,
                std::byte *out);

} // namespace pcc::runtime
