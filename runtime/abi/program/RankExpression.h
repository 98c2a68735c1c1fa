// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks, coordinates and groups of a mesh. Example, mesh dp=2, tp=4: rank 6 has the coordinates (1,
// 2); the expression 2·coordinate(dp) + 1 is 3 there.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <vector>

namespace pcc::abi {

/// The number of ranks of a valid mesh; 1 without axes.
int64_t rankCount(const Mesh &mesh);

/// The coordinates of `rank`, one per axis.
std::vector<int64_t> coordinatesOf(const Mesh &mesh, int64_t rank);

/// The value of a valid expression on `rank`.
int64_t evaluate(const RankExpression &expression, const Mesh &mesh, int64_t rank);

/// The group of a valid partition that holds `rank`.
const RankList &groupOf(const RankGroups &group, int64_t rank);

/// The values of `block.offsets` on `rank`.
std::vector<int64_t> offsetsOf(const Block &block, const Mesh &mesh, int64_t rank);

} // namespace pcc::abi
