// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in host memory, and the mapping between a global tensor and the ranks' blocks.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

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
