// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in host memory, and the way between a global tensor and the blocks that ranks hold.

#ifndef PCC_RUNTIME_EXECUTE_TENSOR_H
#define PCC_RUNTIME_EXECUTE_TENSOR_H

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <vector>

namespace pcc::runtime {

/// A dense row-major tensor.
struct Tensor {
  abi::ElementType type = abi::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  /// A tensor of zeros.
  static Tensor zeros(abi::ElementType type, std::vector<int64_t> shape);
  int64_t count() const;
  /// One element as a number.
  double at(int64_t index) const;
  void set(int64_t index, double value);
};

/// One element of memory as a number, and back.
double loadElement(abi::ElementType type, const std::byte *address);
void storeElement(abi::ElementType type, std::byte *address, double value);

/// Copies the block of `rank` out of the data of a global tensor, or into it.
void copyBlockOut(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                  const std::byte *global, std::byte *local);
void copyBlockIn(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                 const std::byte *local, std::byte *global);

/// For each rank the lowest rank that differs from it in coordinates of `partialAxes` only: values
/// of ranks with the same one are summed.
std::vector<int64_t> partialOwners(const abi::Mesh &mesh,
                                   const google::protobuf::RepeatedField<uint32_t> &partialAxes);

/// The global value of a result from the blocks of all ranks, by rank: partial values are summed in
/// the order of ranks, the lowest rank's block counts where several hold the same, and everything
/// is multiplied by the result's scale. Ranks that have no block of it leave theirs empty; the
/// others are those of one program, which describes it.
Tensor assemble(const abi::Result &result, const abi::Mesh &mesh, std::vector<Tensor> blocks);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_TENSOR_H
