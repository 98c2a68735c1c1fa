// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces tiles of 1024 elements in the first-level cache, up to four sources per pass. A finished
// tile is written once to every destination. The inner loop is a template over type, operator and
// number of sources.

#include "runtime/collective/local/Reduce.h"

#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace pcc::runtime::local {
namespace {

/// The accumulation type of a type, and the conversions to it and back.
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

/// The type for sums and products of integers, which wrap around modulo 2^bits.
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
  /// Propagates a NaN from either side.
  template <typename T> static T apply(T a, T b) { return (a > b || a != a) ? a : b; }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return (a < b || a != a) ? a : b; }
};

/// Elements that are summed in the first-level cache before they are written out.
constexpr int64_t tileElements = 1024;

/// Reduces `N` sources into `sum`, or with `Begins` sets `sum` to their reduction. Reading several
/// sources at once keeps several cache lines in flight from memory.
template <typename T, typename Op, int N, bool Begins, typename W>
void accumulate(W *__restrict sum, const std::byte *const *sources, int64_t at, int64_t length) {
  const T *source[N];
  for (int n = 0; n < N; ++n)
    source[n] = reinterpret_cast<const T *>(sources[n]) + at;
  for (int64_t i = 0; i < length; ++i) {
    W value = Begins ? Wide<T>::load(source[0][i]) : Op::apply(sum[i], Wide<T>::load(source[0][i]));
    for (int n = 1; n < N; ++n)
      value = Op::apply(value, Wide<T>::load(source[n][i]));
    sum[i] = value;
  }
}

/// Number of sources read at once.
constexpr size_t sourcesPerPass = 4;

template <typename T, typename Op, bool Begins, typename W>
void accumulateSome(W *sum, std::span<const std::byte *const> sources, int64_t at, int64_t length) {
  switch (sources.size()) {
  case 1:
    return accumulate<T, Op, 1, Begins>(sum, sources.data(), at, length);
  case 2:
    return accumulate<T, Op, 2, Begins>(sum, sources.data(), at, length);
  case 3:
    return accumulate<T, Op, 3, Begins>(sum, sources.data(), at, length);
  default:
    return accumulate<T, Op, sourcesPerPass, Begins>(sum, sources.data(), at, length);
  }
}

template <typename T, typename Op, typename W>
void accumulateAll(W *sum, std::span<const std::byte *const> sources, int64_t at, int64_t length) {
  auto from = [&](size_t first) {
    return sources.subspan(first, std::min(sourcesPerPass, sources.size() - first));
  };
  accumulateSome<T, Op, /*Begins=*/true>(sum, from(0), at, length);
  for (size_t first = sourcesPerPass; first < sources.size(); first += sourcesPerPass)
    accumulateSome<T, Op, /*Begins=*/false>(sum, from(first), at, length);
}

template <typename T, typename Op>
void reduceElements(std::span<const std::byte *const> sources,
                    std::span<std::byte *const> destinations, int64_t count, StoreMode store) {
  using W = typename Wide<T>::Type;
  alignas(64) W sum[tileElements];
  alignas(64) T result[tileElements];
  for (int64_t at = 0; at < count; at += tileElements) {
    int64_t length = std::min(tileElements, count - at);
    accumulateAll<T, Op>(sum, sources, at, length);
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
                std::span<std::byte *const> destinations, int64_t count, StoreMode store) {
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
            std::span<std::byte *const> destinations, int64_t count, StoreMode store) {
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
  case abi::I16:
    return reduceType<int16_t>(op, sources, destinations, count, store);
  case abi::F64:
    return reduceType<double>(op, sources, destinations, count, store);
  case abi::U64:
    return reduceType<uint64_t>(op, sources, destinations, count, store);
  case abi::U32:
    return reduceType<uint32_t>(op, sources, destinations, count, store);
  case abi::U16:
    return reduceType<uint16_t>(op, sources, destinations, count, store);
  case abi::U8:
    return reduceType<uint8_t>(op, sources, destinations, count, store);
  case abi::BOOL:
    return reduceType<bool>(op, sources, destinations, count, store);
  default:
    return;
  }
}

} // namespace pcc::runtime::local
