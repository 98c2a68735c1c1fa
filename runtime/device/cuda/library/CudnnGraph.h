// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of cuDNN's operations on tensors, as it is built. Tensors in memory have numbers, under
// which a run gives their addresses; what goes from one operation to the next has no memory.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNGRAPH_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNGRAPH_H

#include "runtime/device/cuda/library/CudnnDescriptor.h"

#include <deque>
#include <optional>

namespace pcc::runtime::cuda::dnn {

using Extents = std::vector<int64_t>;

/// What addresses of tensors in memory are multiples of. Buffers lie at multiples of 64 bytes, but
/// a record may have a part of one.
inline constexpr int64_t tensorAlignment = 16;

/// The type, the sizes, and how far elements lie apart along each dimension.
struct Form {
  DataType type;
  Extents sizes, strides;
};

/// Row-major.
Form denseForm(DataType type, Extents sizes);

/// With two dimensions exchanged, in the same memory.
Form exchanged(Form form, size_t a, size_t b);

/// A tensor of a graph, which owns it.
struct Tensor {
  const Descriptor *descriptor;
  Form form;
};

class Graph {
public:
  explicit Graph(const Cudnn &library) : library(library) {}

  /// A tensor whose address runs give under the number.
  Tensor memory(int64_t number, Form form) { return add(number, std::move(form), {}); }
  /// One number, which runs give under the number by where it is on the host.
  Tensor value(int64_t number, DataType type);
  /// What an operation leaves to others.
  Tensor inner(Form form);

  /// result = x `mode` b; of scores chosen where `choice` holds.
  void pointwise(PointwiseMode mode, DataType precision, const Tensor &x, const Tensor *b,
                 const Tensor &result, const Tensor *choice = nullptr);
  /// The same into an inner tensor of x's sizes and the precision's type.
  Tensor pointwise(PointwiseMode mode, const Tensor &x, const Tensor &b);
  Tensor pointwise(PointwiseMode mode, const Tensor &x);
  /// Positions along a dimension of x.
  Tensor positions(const Tensor &x, int64_t axis);
  /// c = a · b of the last two dimensions; sizes of 1, or that divide the other's, are repeated.
  void matmul(const Tensor &a, const Tensor &b, const Tensor &c);
  /// Over all dimensions in which the result has size 1, or fewer elements.
  void reduce(ReductionOperator how, const Tensor &x, const Tensor &result);
  /// The same elements in another form.
  void reshape(const Tensor &x, const Tensor &result);
  /// An operation of another kind.
  Descriptor &operation(Kind kind) { return descriptors.emplace_back(library, kind); }
  /// `operation` is complete.
  void finish(Descriptor &operation) { operations.push_back(&operation.finalize()); }

  /// The descriptor of the whole; `handle` is null where plans are for a described device.
  Descriptor finish(Handle handle) const;

private:
  struct Traits {
    bool isInner = false, isByValue = false;
  };
  Tensor add(int64_t number, Form form, Traits traits);

  const Cudnn &library;
  std::deque<Descriptor> descriptors;
  std::vector<const Descriptor *> operations;
  int64_t innerTensors = 0;
};

} // namespace pcc::runtime::cuda::dnn

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNGRAPH_H
