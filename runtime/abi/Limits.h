// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits that the compiler, the runtime and the tools share.

#pragma once

#include <cstdint>

namespace pcc::abi {

/// Maximum number of devices of a cluster, of ranks of a program, and of processes of a launch.
/// dist::maxRanks is the same number for the dialects, which do not include this file.
inline constexpr int64_t maxRanks = 4096;

} // namespace pcc::abi
