// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of collectives between ranks on one GPU (docs/spec/kernels.md), for every type and
// reduction, as code for the emulated GPU. An entry is called once for its whole grid.

#include "runtime/abi/program/SupportKernels.h"
#include "runtime/base/HalfFloat.h"

namespace {

using namespace pcc;
using runtime::BFloat16;
using runtime::Float16;

template <typename T> T load(const T *at) { return *at; }
float load(const Float16 *at) { return runtime::toFloat(*at); }
float load(const BFloat16 *at) { return runtime::toFloat(*at); }
template <typename T, typename W> void store(T *at, W value) { *at = T(value); }
void store(Float16 *at, float value) { *at = runtime::toFloat16(value); }
void store(BFloat16 *at, float value) { *at = runtime::toBFloat16(value); }

struct Sum {
  template <typename T> static T apply(T a, T b) { return T(a + b); }
  static bool apply(bool a, bool b) { return a | b; }
};
struct Prod {
  template <typename T> static T apply(T a, T b) { return T(a * b); }
  static bool apply(bool a, bool b) { return a & b; }
};
struct Max {
  /// Propagates a NaN of either side.
  template <typename T> static T apply(T a, T b) { return a > b || a != a ? a : b; }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return a < b || a != a ? a : b; }
};
/// Returns the second operand.
struct Copy {
  template <typename T> static T apply(T, T b) { return b; }
};

template <typename T, typename Op> void reduce(void *const *buffers, const int64_t *numbers) {
  auto *sources = static_cast<const T *const *>(buffers[0]);
  auto *targets = static_cast<T *const *>(buffers[1]);
  int64_t run = numbers[1], stride = numbers[2];
  for (int64_t n = 0; n < numbers[0]; ++n) {
    int64_t place = n / run * stride + n % run;
    auto value = load(sources[0] + place);
    for (int64_t member = 1; member < numbers[3]; ++member)
      value = Op::apply(value, load(sources[member] + place));
    for (int64_t target = 0; target < numbers[4]; ++target)
      store(targets[target] + n, value);
  }
}

template <typename T, typename Op> void moveBox(void *const *buffers, const int64_t *numbers) {
  constexpr int64_t dims = abi::maxBoxDims;
  auto *source = static_cast<const T *>(buffers[0]);
  auto *target = static_cast<T *>(buffers[1]);
  for (int64_t n = 0; n < numbers[0]; ++n) {
    int64_t from = 0, to = 0, left = n;
    for (int64_t dim = dims; dim-- > 0; left /= numbers[1 + dim]) {
      from += left % numbers[1 + dim] * numbers[1 + dims + dim];
      to += left % numbers[1 + dim] * numbers[1 + 2 * dims + dim];
    }
    store(target + to, Op::apply(load(target + to), load(source + from)));
  }
}

} // namespace

#define KERNEL(name, body, numbers)                                                                \
  extern "C" {                                                                                     \
  extern const int32_t name##_arguments[2] __asm__(#name ".arguments");                            \
  const int32_t name##_arguments[2] = {2, numbers};                                                \
  void name(void *const *buffers, const int64_t *scalars, int64_t, int64_t) {                      \
    body(buffers, scalars);                                                                        \
  }                                                                                                \
  }
#define REDUCTION(op, Op, type, T)                                                                 \
  KERNEL(pcc_reduce_##op##_##type, (reduce<T, Op>), 5)                                             \
  KERNEL(pcc_box_##op##_##type, (moveBox<T, Op>), 1 + 3 * abi::maxBoxDims)
#define REDUCTIONS(type, T)                                                                        \
  REDUCTION(sum, Sum, type, T)                                                                     \
  REDUCTION(max, Max, type, T)                                                                     \
  REDUCTION(min, Min, type, T)                                                                     \
  REDUCTION(prod, Prod, type, T)
#define MOVE(type, T) KERNEL(pcc_box_##type, (moveBox<T, Copy>), 1 + 3 * abi::maxBoxDims)

REDUCTIONS(f32, float)
REDUCTIONS(f16, Float16)
REDUCTIONS(bf16, BFloat16)
REDUCTIONS(f64, double)
REDUCTIONS(i64, int64_t)
REDUCTIONS(i32, int32_t)
REDUCTIONS(i16, int16_t)
REDUCTIONS(i8, int8_t)
REDUCTIONS(ui64, uint64_t)
REDUCTIONS(ui32, uint32_t)
REDUCTIONS(ui16, uint16_t)
REDUCTIONS(ui8, uint8_t)
REDUCTIONS(i1, bool)
MOVE(i8, int8_t)
MOVE(i16, int16_t)
MOVE(i32, int32_t)
MOVE(i64, int64_t)
