// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializes parameters.

#pragma once

#include "runtime/abi/files/ExecutableData.h"
#include "runtime/base/Base.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace pcc::runtime {

/// Calls its second argument with ranges that cover 0 … count-1, perhaps on several threads.
using Parallel =
    std::function<void(int64_t count, const std::function<void(int64_t begin, int64_t end)> &)>;

/// Writes the block of `parameter` that `rank` holds to `out`. `data` reads initial data; errors
/// are its. A random value depends only on the seed, the name of the tensor that files store, and
/// the element's index there (ParameterParts.h).
Status initialize(const abi::Parameter &parameter, const abi::Mesh &mesh, int64_t rank,
                  uint64_t seed, abi::DataReader &data, const Parallel &parallel, std::byte *out);

} // namespace pcc::runtime
