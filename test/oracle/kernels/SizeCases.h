// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

/// Returns functions of one op each, as text, in the sizes at which loops change. Function i is
/// called `NAME`i.
std::vector<std::string> sizeCases(const std::string &name);

} // namespace pcc::test
