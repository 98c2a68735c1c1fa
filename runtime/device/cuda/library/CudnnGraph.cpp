// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each tensor and each operation is a backend descriptor. A deque owns them, so that their
// addresses stay stable. Tensors without memory get identifiers from 1000 on.

#include "runtime/device/cuda/library/CudnnGraph.h"

#include <algorithm>

namespace pcc::runtime::cuda::dnn {

Descriptor::Descriptor(const Cudnn &library, Kind kind) : library(library) {
  note(library.check(library.createDescriptor(kind, &handle), "cudnnBackendCreateDescriptor"));
}

Descriptor::~Descriptor() {
  if (handle)
    library.destroyDescriptor(handle);
}

void Descriptor::note(Status status) {
  if (failure.ok())
    failure = std::move(status);
}

Descriptor &Descriptor::set(Attribute name, ValueType type, int64_t count, const void *values) {
  if (failure.ok())
    note(library.check(library.setAttribute(handle, name, type, count, values),
                       fmt::format("cudnnBackendSetAttribute of {}", int(name))));
  return *this;
}

Descriptor &Descriptor::set(Attribute name, const Descriptor &other) {
  const Descriptor *others[] = {&other};
  return setAll(name, others);
}

Descriptor &Descriptor::setAll(Attribute name, std::span<const Descriptor *const> others) {
  std::vector<DescriptorHandle> handles;
  for (const Descriptor *other : others) {
    note(other->failure);
    handles.push_back(other->handle);
  }
  return set(name, ValueType::Descriptor, int64_t(handles.size()), handles.data());
}

Descriptor &Descriptor::finalize() {
  if (failure.ok())
    note(library.check(library.finalize(handle), "cudnnBackendFinalize"));
  return *this;
}

std::optional<int64_t> Descriptor::get(Attribute name, ValueType type, int64_t most,
                                       void *values) const {
  int64_t count = 0;
  if (!failure.ok() ||
      library.getAttribute(handle, name, type, most, &count, values) != Result::Success)
    return std::nullopt;
  return std::min(count, most);
}

std::vector<Descriptor> Descriptor::descriptors(Attribute name, Kind kind, int64_t most) const {
  std::vector<Descriptor> found;
  std::vector<DescriptorHandle> handles;
  for (int64_t i = 0; i < most; ++i)
    handles.push_back(found.emplace_back(library, kind).handle);
  int64_t count = get(name, ValueType::Descriptor, most, handles.data()).value_or(0);
  while (int64_t(found.size()) > count)
    found.pop_back();
  return found;
}

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
