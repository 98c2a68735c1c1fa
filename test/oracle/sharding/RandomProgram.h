// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialects/dist/Sharding.h"
#include <random>

namespace pcc::test {

/// The text of a function @program of random ops (products, sums, means, transposes, broadcasts,
/// softmax) on square matrices and vectors, with random shardings at its boundary. All sizes
/// divide.
std::string makeRandomProgram(const dist::Mesh &mesh, int64_t numOps, std::mt19937_64 &random);

} // namespace pcc::test
