// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the rows of a box in row-major order; a row is contiguous in both tensors. Each row is one
// copy or one call of reduce().

#include "runtime/collective/local/Boxes.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/collective/local/Reduce.h"

#include <cstring>
#include <vector>

namespace pcc::runtime::local {
namespace {

/// Bytes of a row below which the cache lines at its ends matter.
constexpr int64_t minStreamedRow = 1024;

/// Returns the linear index of element `start + index` of a row-major tensor.
int64_t linearIndex(std::span<const int64_t> shape, std::span<const int64_t> start,
                    std::span<const int64_t> index) {
  int64_t linear = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    linear = linear * shape[d] + start[d] + index[d];
  return linear;
}

/// Advances to the next row of a box, over all dimensions except the last. Returns false after the
/// last row.
bool nextRow(std::span<const int64_t> size, std::vector<int64_t> &index) {
  for (size_t d = size.size() - 1; d-- > 0;) {
    if (++index[d] < size[d])
      return true;
    index[d] = 0;
  }
  return false;
}

} // namespace

void moveBox(BoxSide<const std::byte> source, BoxSide<std::byte> target,
             std::span<const int64_t> size, abi::ElementType type, abi::ReduceOp reduction,
             StoreMode store) {
  for (int64_t extent : size)
    if (extent == 0)
      return;
  int64_t element = static_cast<int64_t>(abi::elementBytes(type));
  int64_t row = size.empty() ? 1 : size.back();
  if (row * element < minStreamedRow)
    store = StoreMode::ThroughCaches;
  std::vector<int64_t> index(size.size(), 0);
  do {
    const std::byte *from = source.data + linearIndex(source.shape, source.start, index) * element;
    std::byte *to = target.data + linearIndex(target.shape, target.start, index) * element;
    if (reduction == abi::REDUCE_OP_UNSPECIFIED) {
      storeBytes(store, to, from, row * element);
    } else {
      const std::byte *sources[] = {to, from};
      reduce(reduction, type, sources, {&to, 1}, row);
    }
  } while (!size.empty() && nextRow(size, index));
}

} // namespace pcc::runtime::local
