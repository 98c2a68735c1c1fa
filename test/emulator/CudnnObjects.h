// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of the emulated cuDNN: attributes by name. NVIDIA's documentation of the backend API
// lists for each kind its attributes, their types, and those that are required when a descriptor is
// finalized.
#pragma once

#include "runtime/device/cuda/library/Cudnn.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace pcc::test::dnn {

using namespace runtime::cuda::dnn;

struct Object;

/// A value of an attribute: `count` elements of a type.
struct Value {
  ValueType type;
  int64_t count = 0;
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const Object>> objects; ///< of descriptors
};

/// A descriptor lives as long as its handle and all descriptors that have it as an attribute.
struct Object : std::enable_shared_from_this<Object> {
  explicit Object(Kind kind) : kind(kind) {}

  /// Implement the backend calls of the same names.
  Result set(Attribute name, ValueType type, int64_t count, const void *elements);
  Result finalize();

  bool has(Attribute name) const { return values.contains(name); }
  template <typename T> std::vector<T> all(Attribute name) const {
    auto found = values.find(name);
    if (found == values.end())
      return {};
    std::vector<T> list(size_t(found->second.count));
    std::memcpy(list.data(), found->second.bytes.data(), found->second.bytes.size());
    return list;
  }
  /// Returns the first element, or a default value.
  template <typename T> T one(Attribute name) const {
    T first = {};
    if (auto found = values.find(name); found != values.end())
      std::memcpy(&first, found->second.bytes.data(), sizeof first);
    return first;
  }
  const Object &object(Attribute name) const { return *one<const Object *>(name); }

  const Kind kind;
  bool isFinal = false;
  /// References the object itself as long as its handle exists.
  std::shared_ptr<Object> ofHandle;
  std::map<Attribute, Value> values;
  /// For engines: the index among the engines of a graph.
  int64_t engine = 0;
};

/// Returns the number of elements that the memory of a tensor spans.
int64_t spanOf(const Object &tensor);
size_t bytesOf(DataType type);

} // namespace pcc::test::dnn
