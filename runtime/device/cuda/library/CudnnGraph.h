// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of cuDNN operations on tensors, under construction. Tensors in memory have identifiers,
// under which a run provides their addresses. Tensors between operations have no memory.

#pragma once

#include "runtime/device/cuda/library/Cudnn.h"

#include <concepts>
#include <deque>
#include <optional>
#include <span>
#include <utility>

namespace pcc::runtime::cuda::dnn {

/// Maps a C++ type to the attribute type of its values.
template <typename T> struct TypeOf;
template <ValueType type> struct IsType {
  static constexpr ValueType value = type;
};
template <> struct TypeOf<Handle> : IsType<ValueType::Handle> {};
template <> struct TypeOf<DataType> : IsType<ValueType::DataType> {};
template <> struct TypeOf<bool> : IsType<ValueType::Boolean> {};
template <> struct TypeOf<int64_t> : IsType<ValueType::Int64> {};
template <> struct TypeOf<float> : IsType<ValueType::Float> {};
template <> struct TypeOf<void *> : IsType<ValueType::VoidPointer> {};
template <> struct TypeOf<ConvolutionMode> : IsType<ValueType::ConvolutionMode> {};
template <> struct TypeOf<HeuristicsMode> : IsType<ValueType::HeuristicsMode> {};
template <> struct TypeOf<NumericalNote> : IsType<ValueType::NumericalNote> {};
template <> struct TypeOf<PointwiseMode> : IsType<ValueType::PointwiseMode> {};
template <> struct TypeOf<ReductionOperator> : IsType<ValueType::ReductionOperator> {};
template <> struct TypeOf<char> : IsType<ValueType::Char> {};

/// A descriptor of cuDNN's backend API: attributes are set, then it is finalized. The first failure
/// stays with the descriptor, which does nothing from then on. Setting it as an attribute of
/// another descriptor propagates the failure. So code that builds a graph checks only once, at the
/// end.
class Descriptor {
public:
  Descriptor(const Cudnn &library, Kind kind);
  Descriptor(Descriptor &&other) noexcept
      : library(other.library), handle(std::exchange(other.handle, nullptr)),
        failure(std::move(other.failure)) {}
  ~Descriptor();

  template <typename T> Descriptor &set(Attribute name, T value) {
    return setAll(name, std::span<const T>(&value, 1));
  }
  template <typename T> Descriptor &setAll(Attribute name, std::span<const T> values) {
    return set(name, TypeOf<T>::value, int64_t(values.size()), values.data());
  }
  template <typename T> Descriptor &setAll(Attribute name, const std::vector<T> &values) {
    return setAll(name, std::span<const T>(values));
  }
  Descriptor &set(Attribute name, const Descriptor &other);
  Descriptor &setAll(Attribute name, std::span<const Descriptor *const> others);
  Descriptor &finalize();

  /// Returns at most `most` values; nothing if they cannot be read.
  template <typename T> std::optional<std::vector<T>> get(Attribute name, int64_t most) const {
    std::vector<T> values(size_t(most), T{});
    std::optional<int64_t> count = get(name, TypeOf<T>::value, most, values.data());
    if (!count)
      return std::nullopt;
    values.resize(size_t(*count));
    return values;
  }
  /// Returns at most `most` descriptors of a kind.
  std::vector<Descriptor> descriptors(Attribute name, Kind kind, int64_t most) const;

  DescriptorHandle get() const { return handle; }
  /// Returns the first failure.
  const Status &status() const { return failure; }

private:
  Descriptor &set(Attribute name, ValueType type, int64_t count, const void *values);
  std::optional<int64_t> get(Attribute name, ValueType type, int64_t most, void *values) const;
  /// Stores a failure if there is none yet.
  void note(Status status);

  const Cudnn &library;
  DescriptorHandle handle = nullptr;
  Status failure;
};

using Extents = std::vector<int64_t>;

/// Alignment in bytes of tensors in memory. Buffers are aligned to 64 bytes, but an instruction may
/// use a part of a buffer.
inline constexpr int64_t tensorAlignment = 16;

/// Type, sizes, and the distance in elements along each dimension.
struct TensorLayout {
  DataType type;
  Extents sizes, strides;
};

/// Returns a row-major layout.
TensorLayout denseLayout(DataType type, Extents sizes);

/// Returns the layout with two dimensions swapped, in the same memory.
TensorLayout swapDims(TensorLayout layout, size_t a, size_t b);

/// A tensor owned by its graph.
struct Tensor {
  const Descriptor *descriptor;
  TensorLayout layout;
};

class Graph {
public:
  explicit Graph(const Cudnn &library) : library(library) {}

  /// Adds a tensor in memory. Runs provide its address under `number`.
  Tensor memory(int64_t number, TensorLayout layout) { return add(number, std::move(layout), {}); }
  /// Adds a scalar. Runs provide its host address under `number`.
  Tensor value(int64_t number, DataType type);
  /// Adds a tensor between operations, without memory.
  Tensor inner(TensorLayout layout);

  /// Adds result = x `mode` b; BinarySelect takes x where `choice` is true, else b.
  void pointwise(PointwiseMode mode, DataType precision, const Tensor &x, const Tensor *b,
                 const Tensor &result, const Tensor *choice = nullptr);
  /// Does the same into an inner tensor with x's sizes, in f32.
  Tensor pointwise(PointwiseMode mode, const Tensor &x, const Tensor &b);
  Tensor pointwise(PointwiseMode mode, const Tensor &x);
  /// Adds the index of each element along a dimension of x.
  Tensor positions(const Tensor &x, int64_t axis);
  /// Adds c = a · b over the last two dimensions. Sizes of 1, or that divide the other operand's,
  /// are broadcast.
  void matmul(const Tensor &a, const Tensor &b, const Tensor &c);
  /// Adds a reduction over each dimension in which the result is smaller than x.
  void reduce(ReductionOperator how, const Tensor &x, const Tensor &result);
  /// Adds a copy of the same elements in another layout.
  void reshape(const Tensor &x, const Tensor &result);
  /// Adds an operation of another kind.
  Descriptor &operation(Kind kind) { return descriptors.emplace_back(library, kind); }
  /// Completes `operation`.
  void finish(Descriptor &operation) { operations.push_back(&operation.finalize()); }

  /// Returns the descriptor of the whole graph. `handle` is null if plans are made for a described
  /// device.
  Descriptor finish(Handle handle) const;

private:
  struct Traits {
    bool isInner = false, isByValue = false;
  };
  Tensor add(int64_t number, TensorLayout layout, Traits traits);

  const Cudnn &library;
  std::deque<Descriptor> descriptors;
  std::vector<const Descriptor *> operations;
  int64_t innerTensors = 0;
};

//===-- CudnnPlan.cpp -------------------------------------------------------------------------===//

// Chooses how cuDNN runs a graph. It takes the first engine of the heuristics that gives the same
// bits in every run and keeps the required precision.

/// The target of plans: a handle on a GPU, or a described GPU that need not be present.
struct Target {
  const Cudnn &library;
  Handle handle = nullptr;
  const Descriptor *device = nullptr;
};

/// Describes a GPU by its properties in cuDNN's JSON format (from 9.8 on), for plans that are not
/// run.
Descriptor describeDevice(const Cudnn &library, const std::string &json);

class Plan {
public:
  /// Makes a plan. `isExact`: operands of f32 are not rounded. Error: the last engine's reason if
  /// no engine qualifies.
  static Expected<std::shared_ptr<const Plan>> make(const Target &target, Graph graph,
                                                    bool isExact);
  Plan(Graph graph, Descriptor whole, Descriptor plan, int64_t workspaceBytes)
      : graph(std::move(graph)), whole(std::move(whole)), plan(std::move(plan)),
        bytes(workspaceBytes) {}

  int64_t workspaceBytes() const { return bytes; }
  const Descriptor &descriptor() const { return plan; }

private:
  Graph graph; ///< The graph and its descriptor must live as long as the plan.
  Descriptor whole, plan;
  int64_t bytes;
};

} // namespace pcc::runtime::cuda::dnn
