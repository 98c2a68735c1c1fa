// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies blocks in runs along the last dimension, which are contiguous in both tensors. Partial
// values are added in rank order, and each sum is rounded to the element type.

#include "runtime/execute/rank/Tensor.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>

namespace pcc::runtime {
namespace {

template <typename T> T load(const std::byte *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <typename T> void store(std::byte *address, T value) {
  std::memcpy(address, &value, sizeof value);
}

/// Calls visit(local offset, global offset, bytes) for each run of a rank's block that is
/// contiguous in both tensors.
template <typename Visit>
void forEachByteRun(const abi::Block &block, const abi::Mesh &mesh, int64_t rank, Visit &&visit) {
  int64_t element = int64_t(abi::elementBytes(block.type()));
  int64_t count = *abi::elementCount(block.local_shape());
  forEachRun(block, abi::offsetsOf(block, mesh, rank), 0, count,
             [&](int64_t local, int64_t global, int64_t length) {
               visit(local * element, global * element, length * element);
             });
}

} // namespace

namespace {

/// Calls visit(T()) for the C++ type T of an element type.
template <typename Visit> auto withType(abi::ElementType type, Visit &&visit) {
  switch (type) {
  case abi::F16:
    return visit(Float16());
  case abi::BF16:
    return visit(BFloat16());
  case abi::F64:
    return visit(double());
  case abi::I64:
    return visit(int64_t());
  case abi::I32:
    return visit(int32_t());
  case abi::I16:
    return visit(int16_t());
  case abi::I8:
  case abi::BOOL:
    return visit(int8_t());
  case abi::U64:
    return visit(uint64_t());
  case abi::U32:
    return visit(uint32_t());
  case abi::U16:
    return visit(uint16_t());
  case abi::U8:
    return visit(uint8_t());
  default:
    return visit(float());
  }
}

/// Converts a number to an integer type: NaN to 0, and what is out of range to the nearest limit.
template <typename T> T toInteger(double value) {
  constexpr T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  // The greatest integer plus one is a power of two, which a double holds.
  constexpr double end = 2.0 * double(greatest / 2 + 1);
  if (std::isnan(value))
    return 0;
  if (value >= end)
    return greatest;
  return value < double(least) ? least : T(value);
}

inline double toDouble(Float16 value) { return toFloat(value); }
inline double toDouble(BFloat16 value) { return toFloat(value); }
template <typename T> double toDouble(T value) { return double(value); }

template <typename T> T fromDouble(double value) {
  if constexpr (std::is_same_v<T, Float16>)
    return toFloat16(float(value));
  else if constexpr (std::is_same_v<T, BFloat16>)
    return toBFloat16(float(value));
  else if constexpr (std::is_integral_v<T>)
    return toInteger<T>(value);
  else
    return T(value);
}

} // namespace

double loadElement(abi::ElementType type, const std::byte *address) {
  return withType(type, [address](auto kind) { return toDouble(load<decltype(kind)>(address)); });
}

void storeElement(abi::ElementType type, std::byte *address, double value) {
  withType(type,
           [address, value](auto kind) { store(address, fromDouble<decltype(kind)>(value)); });
}

int64_t Tensor::integerAt(int64_t index) const {
  const std::byte *address = data.data() + index * int64_t(abi::elementBytes(type));
  return withType(type, [address](auto kind) -> int64_t {
    if constexpr (std::is_integral_v<decltype(kind)>)
      return int64_t(load<decltype(kind)>(address));
    return 0;
  });
}

void Tensor::setInteger(int64_t index, int64_t value) {
  std::byte *address = data.data() + index * int64_t(abi::elementBytes(type));
  withType(type, [address, value](auto kind) {
    if constexpr (std::is_integral_v<decltype(kind)>)
      store(address, decltype(kind)(value));
  });
}

Tensor Tensor::zeros(abi::ElementType type, std::vector<int64_t> shape) {
  Tensor tensor{type, std::move(shape), {}};
  tensor.data.resize(tensor.count() * abi::elementBytes(type));
  return tensor;
}

int64_t Tensor::count() const { return abi::elementCount(shape).value_or(0); }

double Tensor::at(int64_t index) const {
  return loadElement(type, data.data() + index * int64_t(abi::elementBytes(type)));
}

void Tensor::set(int64_t index, double value) {
  storeElement(type, data.data() + index * int64_t(abi::elementBytes(type)), value);
}

int64_t localBytes(const abi::Block &block) {
  return *abi::elementCount(block.local_shape()) * int64_t(abi::elementBytes(block.type()));
}

void copyBlockOut(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                  const std::byte *global, std::byte *local) {
  forEachByteRun(block, mesh, rank, [&](int64_t localOffset, int64_t globalOffset, int64_t bytes) {
    std::memcpy(local + localOffset, global + globalOffset, bytes);
  });
}

Status readBlock(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                 const std::function<Status(int64_t, std::span<std::byte>)> &read,
                 std::byte *local) {
  Status status;
  forEachByteRun(block, mesh, rank, [&](int64_t to, int64_t from, int64_t bytes) {
    if (status.ok())
      status = read(from, std::span(local + to, size_t(bytes)));
  });
  return status;
}

void copyBlockIn(const abi::Block &block, const abi::Mesh &mesh, int64_t rank,
                 const std::byte *local, std::byte *global) {
  forEachByteRun(block, mesh, rank, [&](int64_t localOffset, int64_t globalOffset, int64_t bytes) {
    std::memcpy(global + globalOffset, local + localOffset, bytes);
  });
}

std::vector<int64_t> partialOwners(const abi::Mesh &mesh,
                                   const google::protobuf::RepeatedField<uint32_t> &partialAxes) {
  std::vector<int64_t> owners;
  for (int64_t rank = 0; rank < abi::rankCount(mesh); ++rank) {
    std::vector<int64_t> coordinates = abi::coordinatesOf(mesh, rank);
    for (uint32_t axis : partialAxes)
      coordinates[axis] = 0;
    int64_t owner = 0;
    for (int axis = 0; axis < mesh.axes_size(); ++axis)
      owner = owner * mesh.axes(axis).size() + coordinates[axis];
    owners.push_back(owner);
  }
  return owners;
}

Tensor assemble(const abi::Result &result, const abi::Mesh &mesh, std::vector<Tensor> blocks) {
  const abi::Block &block = result.block();
  double scale = result.scale() == 0 ? 1 : result.scale();
  // By owner: the first rank with a block, which accumulates the sum.
  std::map<int64_t, size_t> totals;
  std::vector<int64_t> owners = partialOwners(mesh, result.partial_axes());
  for (size_t rank = 0; rank < blocks.size(); ++rank) {
    if (blocks[rank].data.empty())
      continue;
    auto [first, isFirst] = totals.try_emplace(owners[rank], rank);
    Tensor &total = blocks[first->second];
    for (int64_t i = 0; !isFirst && i < total.count(); ++i)
      total.set(i, total.at(i) + blocks[rank].at(i));
  }
  Tensor global =
      Tensor::zeros(block.type(), {block.global_shape().begin(), block.global_shape().end()});
  for (auto total = totals.rbegin(); total != totals.rend(); ++total)
    copyBlockIn(block, mesh, int64_t(total->second), blocks[total->second].data.data(),
                global.data.data());
  for (int64_t i = 0; scale != 1 && i < global.count(); ++i)
    global.set(i, global.at(i) * scale);
  return global;
}

} // namespace pcc::runtime
