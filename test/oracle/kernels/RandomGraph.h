// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace pcc::test {

/// Returns a function `@NAME` of random core ops on tensors of odd sizes, with inputs and outputs
/// by role, as text. The same seed gives the same function.
std::string randomFunction(const std::string &name, uint64_t seed);

} // namespace pcc::test
