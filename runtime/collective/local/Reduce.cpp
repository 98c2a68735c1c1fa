// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/local/Reduce.h"

#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace pcc::runtime::local {
namespace {

/// The type in which sums are held, and the way there and back.
template <typename T> struct Wide {
  using Type = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
template <> struct Wide<Float16> {
  using Type = float;
  static float load(Float16 value) { return toFloat(value); }
  static Float16 store(float value) { return toFloat16(value); }
};
template <> struct Wide<BFloat16> {
  using Type = float;
  static float load(BFloat16 value) { return toFloat(value); }
  static BFloat16 store(float value) { return toBFloat16(value); }
};

/// Integers add and multiply modulo their size.
template <typename T>
using Modular = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, uint64_t, T>;

struct Sum {
  template <typename T> static T apply(T a, T b) { return T(Modular<T>(a) + Modular<T>(b)); }
  static bool apply(bool a, bool b) { return a | b; }
};
struct Prod {
  template <typename T> static T apply(T a, T b) { return T(Modular<T>(a) * Modular<T>(b)); }
  static bool apply(bool a, bool b) { return a & b; }
};
struct Max {
  /// A NaN on either side stays.
  template <typename T> static T apply(T a, T b) { return (a > b || a != a) ? a : b; }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return (a < b || a != a) ? a : b; }
};

/// Elements that are summed in the first-level cache before they are written out.
constexpr int64_t stretch = 1024;

/// `sum` becomes the first source, or the first two reduced.
template <typename T, typename Op, typename W>
void begin(W *__restrict sum, std::span<const std::byte *const> sources, int64_t at,
           int64_t length) {
  const T *__restrict first = reinterpret_cast<const T *>(sources[0]) + at;
  if (sources.size() == 1) {
    for (int64_t i = 0; i < length; ++i)
      sum[i] = Wide<T>::load(first[i]);
    return;
  }
  const T *__restrict second = reinterpret_cast<const T *>(sources[1]) + at;
  for (int64_t i = 0; i < length; ++i)
    sum[i] = Op::apply(Wide<T>::load(first[i]), Wide<T>::load(second[i]));
}

template <typename T, typename Op>
void reduceElements(std::span<const std::byte *const> sources,
                    std::span<std::byte *const> destinations, int64_t count, Store store) {
  using W = typename Wide<T>::Type;
  alignas(64) W sum[stretch];
  alignas(64) T result[stretch];
  for (int64_t at = 0; at < count; at += stretch) {
    int64_t length = std::min(stretch, count - at);
    begin<T, Op>(sum, sources, at, length);
    for (size_t s = 2; s < sources.size(); ++s) {
      const T *__restrict source = reinterpret_cast<const T *>(sources[s]) + at;
      for (int64_t i = 0; i < length; ++i)
        sum[i] = Op::apply(sum[i], Wide<T>::load(source[i]));
    }
    const void *bytes = sum;
    if constexpr (!std::is_same_v<T, W>) {
      for (int64_t i = 0; i < length; ++i)
        result[i] = Wide<T>::store(sum[i]);
      bytes = result;
    }
    for (std::byte *destination : destinations)
      storeBytes(store, destination + at * int64_t(sizeof(T)),
                 static_cast<const std::byte *>(bytes), length * int64_t(sizeof(T)));
  }
}

template <typename T>
void reduceType(abi::ReduceOp op, std::span<const std::byte *const> sources,
                std::span<std::byte *const> destinations, int64_t count, Store store) {
  switch (op) {
  case abi::MAX:
    return reduceElements<T, Max>(sources, destinations, count, store);
  case abi::MIN:
    return reduceElements<T, Min>(sources, destinations, count, store);
  case abi::PROD:
    return reduceElements<T, Prod>(sources, destinations, count, store);
  default:
    return reduceElements<T, Sum>(sources, destinations, count, store);
  }
}

} // namespace

void reduce(abi::ReduceOp op, abi::ElementType type, std::span<const std::byte *const> sources,
            std::span<std::byte *const> destinations, int64_t count, Store store) {
  switch (type) {
  case abi::F32:
    return reduceType<float>(op, sources, destinations, count, store);
  case abi::F16:
    return reduceType<Float16>(op, sources, destinations, count, store);
  case abi::BF16:
    return reduceType<BFloat16>(op, sources, destinations, count, store);
  case abi::I32:
    return reduceType<int32_t>(op, sources, destinations, count, store);
  case abi::I64:
    return reduceType<int64_t>(op, sources, destinations, count, store);
  case abi::I8:
    return reduceType<int8_t>(op, sources, destinations, count, store);
  case abi::BOOL:
    return reduceType<bool>(op, sources, destinations, count, store);
  default:
    return;
  }
}

} // namespace pcc::runtime::local
