// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

TensorLayout denseLayout(DataType type, Extents sizes) {
  Extents strides(sizes.size(), 1);
  for (size_t dim = sizes.size() - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim] * sizes[dim];
  return {type, std::move(sizes), std::move(strides)};
}

TensorLayout swapDims(TensorLayout layout, size_t a, size_t b) {
  std::swap(layout.sizes[a], layout.sizes[b]);
  std::swap(layout.strides[a], layout.strides[b]);
  return layout;
}

Tensor Graph::add(int64_t number, TensorLayout layout, Traits traits) {
  Descriptor &tensor = operation(Kind::Tensor);
  tensor.set(Attribute::TensorDataType, layout.type)
      .setAll(Attribute::TensorDimensions, layout.sizes)
      .setAll(Attribute::TensorStrides, layout.strides)
      .set(Attribute::TensorUniqueId, number)
      .set(Attribute::TensorAlignment, tensorAlignment);
  if (traits.isInner)
    tensor.set(Attribute::TensorIsVirtual, true);
  if (traits.isByValue)
    tensor.set(Attribute::TensorIsByValue, true);
  return {&tensor.finalize(), std::move(layout)};
}

Tensor Graph::value(int64_t number, DataType type) {
  return add(number, denseLayout(type, {1, 1, 1, 1}), {.isByValue = true});
}

Tensor Graph::inner(TensorLayout layout) {
  constexpr int64_t first = 1000; // above all identifiers of tensors in memory
  return add(first + innerTensors++, std::move(layout), {.isInner = true});
}

void Graph::pointwise(PointwiseMode mode, DataType precision, const Tensor &x, const Tensor *b,
                      const Tensor &result, const Tensor *choice) {
  Descriptor &what = operation(Kind::Pointwise);
  what.set(Attribute::PointwiseMode, mode).set(Attribute::PointwisePrecision, precision).finalize();
  Descriptor &op = operation(Kind::OperationPointwise);
  op.set(Attribute::OperationPointwise, what)
      .set(Attribute::OperationPointwiseX, *x.descriptor)
      .set(Attribute::OperationPointwiseY, *result.descriptor);
  if (b)
    op.set(Attribute::OperationPointwiseB, *b->descriptor);
  if (choice)
    op.set(Attribute::OperationPointwiseT, *choice->descriptor);
  finish(op);
}

Tensor Graph::pointwise(PointwiseMode mode, const Tensor &x, const Tensor &b) {
  Tensor result = inner({DataType::Float, x.layout.sizes, x.layout.strides});
  pointwise(mode, DataType::Float, x, &b, result);
  return result;
}

Tensor Graph::pointwise(PointwiseMode mode, const Tensor &x) {
  Tensor result = inner({DataType::Float, x.layout.sizes, x.layout.strides});
  pointwise(mode, DataType::Float, x, nullptr, result);
  return result;
}

Tensor Graph::positions(const Tensor &x, int64_t axis) {
  Tensor result = inner({DataType::Int32, x.layout.sizes, x.layout.strides});
  Descriptor &what = operation(Kind::Pointwise);
  what.set(Attribute::PointwiseMode, PointwiseMode::GenerateIndex)
      .set(Attribute::PointwisePrecision, DataType::Int32)
      .set(Attribute::PointwiseAxis, axis)
      .finalize();
  Descriptor &op = operation(Kind::OperationPointwise);
  op.set(Attribute::OperationPointwise, what)
      .set(Attribute::OperationPointwiseX, *x.descriptor)
      .set(Attribute::OperationPointwiseY, *result.descriptor);
  finish(op);
  return result;
}

void Graph::matmul(const Tensor &a, const Tensor &b, const Tensor &c) {
  Descriptor &what = operation(Kind::Matmul);
  what.set(Attribute::MatmulPrecision, DataType::Float).finalize();
  Descriptor &op = operation(Kind::OperationMatmul);
  op.set(Attribute::OperationMatmul, what)
      .set(Attribute::OperationMatmulA, *a.descriptor)
      .set(Attribute::OperationMatmulB, *b.descriptor)
      .set(Attribute::OperationMatmulC, *c.descriptor);
  finish(op);
}

void Graph::reduce(ReductionOperator how, const Tensor &x, const Tensor &result) {
  Descriptor &what = operation(Kind::Reduction);
  what.set(Attribute::ReductionOperator, how)
      .set(Attribute::ReductionPrecision, DataType::Float)
      .finalize();
  Descriptor &op = operation(Kind::OperationReduction);
  op.set(Attribute::OperationReduction, what)
      .set(Attribute::OperationReductionX, *x.descriptor)
      .set(Attribute::OperationReductionY, *result.descriptor);
  finish(op);
}

void Graph::reshape(const Tensor &x, const Tensor &result) {
  Descriptor &op = operation(Kind::OperationReshape);
  op.set(Attribute::OperationReshapeX, *x.descriptor)
      .set(Attribute::OperationReshapeY, *result.descriptor);
  finish(op);
}

Descriptor Graph::finish(Handle handle) const {
  Descriptor graph(library, Kind::OperationGraph);
  if (handle)
    graph.set(Attribute::GraphHandle, handle);
  graph.setAll(Attribute::GraphOperations, std::span<const Descriptor *const>(operations));
  graph.finalize();
  return graph;
}

} // namespace pcc::runtime::cuda::dnn
