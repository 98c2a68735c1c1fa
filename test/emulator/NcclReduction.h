// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of the emulated NCCL. They share no code with those of pcc's own communicators, so
// that an error there does not agree with itself. Half types are reduced in f32 and rounded once,
// and integers wrap around. A NaN of any rank is the maximum and the minimum.
#pragma once

#include "runtime/collective/nccl/Plan.h"

#include <cstddef>
#include <vector>

namespace pcc::test {

/// Returns `count` elements, each of which reduces the elements of all sources at its place.
std::vector<std::byte> reduceAsNccl(runtime::nccl::Operator reduction, runtime::nccl::Type type,
                                    const std::vector<const std::byte *> &sources, int64_t count);

} // namespace pcc::test
