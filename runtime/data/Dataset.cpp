// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores values in the type of their file and converts them when a batch is read. The loops are
// simple enough for the compiler to vectorize. Only floating-point types scale pixels.

#include "runtime/data/Dataset.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/HalfFloat.h"
#include "runtime/data/StoredTypes.h"

#include <cstring>

namespace pcc::runtime {
namespace {

/// Converts between element types with `convert`, one value at a time; the loop vectorizes. In a
/// file, values may have any address.
template <typename From, typename To, typename Convert>
void convertAll(const std::byte *from, std::byte *to, int64_t count, Convert convert) {
  To *target = reinterpret_cast<To *>(to);
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * int64_t(sizeof value), sizeof value);
    target[i] = convert(value);
  }
}

template <typename From>
void convertTo(abi::ElementType type, const std::byte *from, std::byte *to, int64_t count,
               float scale) {
  auto scaled = [scale](From value) { return float(value) * scale; };
  auto copy = [&]<typename To>(To) {
    convertAll<From, To>(from, to, count, [](From value) { return To(value); });
  };
  switch (type) {
  case abi::F32:
    return convertAll<From, float>(from, to, count, scaled);
  case abi::F64:
    return convertAll<From, double>(from, to, count,
                                    [scale](From value) { return double(value) * scale; });
  case abi::F16:
    return convertAll<From, Float16>(from, to, count,
                                     [&](From value) { return toFloat16(scaled(value)); });
  case abi::BF16:
    return convertAll<From, BFloat16>(from, to, count,
                                      [&](From value) { return toBFloat16(scaled(value)); });
  case abi::BOOL:
    return convertAll<From, bool>(from, to, count, [](From value) { return value != 0; });
  case abi::I64:
    return copy(int64_t());
  case abi::I32:
    return copy(int32_t());
  case abi::I16:
    return copy(int16_t());
  case abi::U64:
    return copy(uint64_t());
  case abi::U32:
    return copy(uint32_t());
  case abi::U16:
    return copy(uint16_t());
  case abi::U8:
    return copy(uint8_t());
  default:
    return copy(int8_t());
  }
}

/// Converts values that are stored in one piece.
void convertPiece(Storage storage, abi::ElementType type, const std::byte *from, std::byte *to,
                  int64_t count) {
  if (storage == Storage::F32 && type == abi::F32) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  float scale = storage == Storage::Pixels ? 1.0f / 255.0f : 1.0f;
  withStoredType(storage, [&]<typename T>(T) { convertTo<T>(type, from, to, count, scale); });
}

} // namespace

uint64_t storageBytes(Storage storage) {
  return withStoredType(storage, []<typename T>(T) { return uint64_t(sizeof(T)); });
}

bool Field::isInteger() const {
  return unit || (storage != Storage::Pixels && storage != Storage::F32 && storage != Storage::F64);
}

int64_t Field::rowElements() const {
  int64_t count = 1;
  for (int64_t extent : rowShape)
    count *= extent;
  return count;
}

void Field::read(int64_t row, int64_t begin, int64_t count, abi::ElementType type,
                 std::byte *out) const {
  auto width = int64_t(storageBytes(storage));
  values.forEachPiece(positionOf(row, begin) * width, count * width,
                      [&](std::span<const std::byte> piece) {
                        int64_t elements = int64_t(piece.size()) / width;
                        convertPiece(storage, type, piece.data(), out, elements);
                        out += elements * int64_t(abi::elementBytes(type));
                      });
}

Status Field::finishRead(int64_t row, int64_t begin, int64_t count) const {
  auto width = int64_t(storageBytes(storage));
  return values.finishRead(positionOf(row, begin) * width, count * width);
}

int64_t Field::integerAt(int64_t row, int64_t element) const {
  int64_t value;
  read(row, element, 1, abi::I64, reinterpret_cast<std::byte *>(&value));
  return value;
}

int64_t Dataset::bytes() const {
  int64_t sum = 0;
  for (const Field &field : fields)
    sum += field.values.bytes();
  return sum;
}

int64_t Dataset::tokensOfRow() const {
  for (const Field &field : fields)
    if (field.unit)
      return field.rowElements();
  return 0;
}

} // namespace pcc::runtime
