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

template <typename T, typename Op>
void reduceElements(std::span<const std::byte *const> sources,
                    std::span<std::byte *const> destinations, int64_t count) {
  using W = typename Wide<T>::Type;
  alignas(64) W sum[stretch];
  for (int64_t begin = 0; begin < count; begin += stretch) {
    int64_t length = std::min(stretch, count - begin);
    const T *first = reinterpret_cast<const T *>(sources[0]) + begin;
    for (int64_t i = 0; i < length; ++i)
      sum[i] = Wide<T>::load(first[i]);
    for (size_t s = 1; s < sources.size(); ++s) {
      const T *__restrict source = reinterpret_cast<const T *>(sources[s]) + begin;
      for (int64_t i = 0; i < length; ++i)
        sum[i] = Op::apply(sum[i], Wide<T>::load(source[i]));
    }
    for (std::byte *destination : destinations) {
      T *__restrict target = reinterpret_cast<T *>(destination) + begin;
      for (int64_t i = 0; i < length; ++i)
        target[i] = Wide<T>::store(sum[i]);
    }
  }
}

template <typename T>
void reduceType(abi::ReduceOp op, std::span<const std::byte *const> sources,
                std::span<std::byte *const> destinations, int64_t count) {
  switch (op) {
  case abi::MAX:
    return reduceElements<T, Max>(sources, destinations, count);
  case abi::MIN:
    return reduceElements<T, Min>(sources, destinations, count);
  case abi::PROD:
    return reduceElements<T, Prod>(sources, destinations, count);
  default:
    return reduceElements<T, Sum>(sources, destinations, count);
  }
}

} // namespace

void reduce(abi::ReduceOp op, abi::ElementType type, std::span<const std::byte *const> sources,
            std::span<std::byte *const> destinations, int64_t count) {
  switch (type) {
  case abi::F32:
    return reduceType<float>(op, sources, destinations, count);
  case abi::F16:
    return reduceType<Float16>(op, sources, destinations, count);
  case abi::BF16:
    return reduceType<BFloat16>(op, sources, destinations, count);
  case abi::I32:
    return reduceType<int32_t>(op, sources, destinations, count);
  case abi::I64:
    return reduceType<int64_t>(op, sources, destinations, count);
  case abi::I8:
    return reduceType<int8_t>(op, sources, destinations, count);
  case abi::BOOL:
    return reduceType<bool>(op, sources, destinations, count);
  default:
    return;
  }
}

} // namespace pcc::runtime::local
