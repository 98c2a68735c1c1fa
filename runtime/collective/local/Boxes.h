// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies boxes between dense row-major tensors.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/collective/local/NonTemporalStore.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pcc::runtime::local {

/// One side of a copy: a tensor, and the start of the box in it, in elements.
template <typename Bytes> struct BoxSide {
  Bytes *data;
  std::span<const int64_t> shape;
  std::span<const int64_t> start;
};

/// Copies a box of `size` elements per dimension; with `reduction` set, reduces it into the target.
/// Long rows are copied by `store`.
void moveBox(BoxSide<const std::byte> source, BoxSide<std::byte> target,
             std::span<const int64_t> size, abi::ElementType type,
             abi::ReduceOp reduction = abi::REDUCE_OP_UNSPECIFIED,
             StoreMode store = StoreMode::ThroughCaches);

} // namespace pcc::runtime::local
