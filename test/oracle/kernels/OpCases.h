// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

/// Functions of one op each, as text: every op that kernels compute, in every element type it has,
/// in odd sizes, size one and rank zero. Function i is called `NAME`i.
std::vector<std::string> opCases(const std::string &name);

/// Functions of products, with what records of GPUs do besides.
std::vector<std::string> productCases(const std::string &name);

} // namespace pcc::test
