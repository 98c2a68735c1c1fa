// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in host memory, and the mapping between a global tensor and the ranks' blocks.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace pcc::runtime {

/// A dense row-major tensor.
struct Tensor {
  abi::ElementType type = abi::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  /// Returns a tensor of zeros.
  static Tensor zeros(abi::ElementType type, std::vector<int64_t> shape);
  int64_t count() const;
  /// Reads or writes one element as a number. Integers beyond 2^53 are rounded.
  double at(int64_t index) const;
  void set(int64_t index, double value);
  /// Reads or writes one element of an integer type exactly. U64 has the bits of an int64_t.
  int64_t integerAt(int64_t index) const;
  void setInteger(int64_t index, int64_t value);
};

/// Reads or writes one element in memory as a number. A number that an integer type does not hold
/// is limited to the type's range; NaN is 0.
double loadElement(abi::ElementType type, const std::byte *address);
void storeElement(abi::ElementType type, std::byte *address, double value);

/// Returns the size in bytes of one rank's block.
int64_t localBytes(const abi::Block &block);

/// Calls visit(local, global, count) for elements begin … end-1 of a block at `offsets`, in runs
/// that are contiguous in both tensors. `local` and `global` are the numbers of a run's first
/// element.
template <typename Visit>
void forEachRun(const abi::Block &block, const std::vector<int64_t> &offsets, int64_t begin,
                int64_t end, Visit &&visit) {
  int rank = block.local_shape_size();
  int64_t row = rank ? block.local_shape(rank - 1) : 1;
  for (int64_t local = begin, count; local < end; local += count) {
    int64_t rest = local, global = 0, stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      global += (rest % block.local_shape(d) + offsets[d]) * stride;
      rest /= block.local_shape(d);
      stride *= block.global_shape(d);
    }
    count = std::min(end - local, row - local % row);
    visit(local, global, count);
  }
}

/// Copies the block of `rank` out of the data of a global tensor, or into it.
void copyBlockOut(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                  const std::byte *global, std::byte *local);
void copyBlockIn(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                 const std::byte *local, std::byte *global);

/// Fills the block of `rank` from a global tensor that `read` reads: from a byte on, run by run.
/// Errors are those of `read`.
Status readBlock(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                 const std::function<Status(int64_t, std::span<std::byte>)> &read,
                 std::byte *local);

/// Returns for each rank the lowest rank that differs from it only in coordinates of `partialAxes`.
/// The values of ranks with the same owner are summed.
std::vector<int64_t> partialOwners(const abi::Mesh &mesh,
                                   const google::protobuf::RepeatedField<uint32_t> &partialAxes);

/// Assembles the global value of a result from the blocks of all ranks, indexed by rank. Partial
/// values are summed in rank order. If several ranks hold the same block, the lowest rank's block
/// counts. The result's scale multiplies everything. Ranks without a block leave an empty tensor.
/// All other ranks belong to the one program from which `result` is taken.
Tensor assemble(const abi::Result &result, const abi::Mesh &mesh, std::vector<Tensor> blocks);

} // namespace pcc::runtime
