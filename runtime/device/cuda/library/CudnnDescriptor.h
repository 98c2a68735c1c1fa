// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor of cuDNN's backend API: attributes are set, then it is finalized. The first failure
// stays with the descriptor, which does nothing from then on. Setting it as an attribute of another
// descriptor propagates the failure. So code that builds a graph checks only once, at the end.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNDESCRIPTOR_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNDESCRIPTOR_H

#include "runtime/device/cuda/library/Cudnn.h"

#include <concepts>
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

} // namespace pcc::runtime::cuda::dnn

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNDESCRIPTOR_H
