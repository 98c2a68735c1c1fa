// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

/// Returns functions of one op each, as text: every op of kernels in each of its element types, in
/// odd sizes, size one and rank zero. Function i is called `NAME`i.
std::vector<std::string> opCases(const std::string &name);

/// Returns functions of matmuls, with the fused parts of GPU instructions.
std::vector<std::string> productCases(const std::string &name);

} // namespace pcc::test
