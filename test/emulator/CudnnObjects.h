// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of the emulated cuDNN: attributes by name, as NVIDIA's documentation of the backend
// API says which kind has which, of what type, and which must be there when it is finalised.
#pragma once

#include "runtime/device/cuda/library/CudnnConstants.h"

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

/// A descriptor lives as long as its handle and all that it is an attribute of.
struct Object : std::enable_shared_from_this<Object> {
  explicit Object(Kind kind) : kind(kind) {}

  /// What the calls of these names do.
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
  /// The first element, or nothing.
  template <typename T> T one(Attribute name) const {
    T first = {};
    if (auto found = values.find(name); found != values.end())
      std::memcpy(&first, found->second.bytes.data(), sizeof first);
    return first;
  }
  const Object &object(Attribute name) const { return *one<const Object *>(name); }

  const Kind kind;
  bool isFinal = false;
  /// While there is a handle: itself.
  std::shared_ptr<Object> ofHandle;
  std::map<Attribute, Value> values;
  /// Of engines: which of those that the library has for a graph.
  int64_t engine = 0;
};

/// The elements of a tensor, as far as its memory goes.
int64_t spanOf(const Object &tensor);
size_t bytesOf(DataType type);

} // namespace pcc::test::dnn
