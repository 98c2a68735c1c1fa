// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits on the sizes of the example `mixtral`.
#pragma once

#include "compiler/example/Example.h"

namespace pcc::example {

/// Returns an error for sizes that Mixtral does not support; empty if there is none.
std::string checkMixtral(const Sizes &sizes);

/// Returns an upper bound of the elements of each tensor of Mixtral.
double boundMixtral(const Sizes &sizes);

} // namespace pcc::example
