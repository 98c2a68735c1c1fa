// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of a library's functions with the real header's.
#pragma once

#include <type_traits>

namespace pcc::test {

/// The type as a call passes it. Each header has its own names for handles and enumerations.
template <typename T> struct Shape {
  using Type = T;
};
template <typename T>
  requires std::is_enum_v<T>
struct Shape<T> {
  using Type = std::conditional_t<sizeof(T) == sizeof(int), int, void>;
};
template <typename T> struct Shape<T *> {
  using Type =
      std::conditional_t<std::is_class_v<std::remove_cv_t<T>>, void *, typename Shape<T>::Type *>;
};
template <typename R, typename... Arguments> struct Shape<R (*)(Arguments...)> {
  using Type = typename Shape<R>::Type (*)(typename Shape<Arguments>::Type...);
};

template <typename A, typename B>
constexpr bool sameShape = std::is_same_v<typename Shape<A>::Type, typename Shape<B>::Type>;

} // namespace pcc::test
