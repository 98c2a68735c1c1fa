// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces several arrays element by element, always in the given order, so that the bits do not
// depend on the thread or the time. Sums of f16 and bf16 are computed in f32 and rounded once.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/collective/local/NonTemporalStore.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pcc::runtime::local {

/// Computes every destinations[d][i] = sources[0][i] op sources[1][i] op …, for i < count elements
/// of `type`. A destination may be one of the sources. For BOOL, SUM and MAX are `or`, PROD and MIN
/// are `and`.
void reduce(abi::ReduceOp op, abi::ElementType type, std::span<const std::byte *const> sources,
            std::span<std::byte *const> destinations, int64_t count,
            StoreMode store = StoreMode::ThroughCaches);

} // namespace pcc::runtime::local
