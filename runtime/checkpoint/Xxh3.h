// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash XXH3 with 64 bits, which finds damage of files.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace pcc::runtime {

/// Hashes bytes that arrive in parts.
class Xxh3 {
public:
  Xxh3();
  ~Xxh3();
  Xxh3(Xxh3 &&) noexcept;

  void update(std::string_view bytes);
  /// Returns the hash of all bytes so far.
  uint64_t digest() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Returns the hash of `bytes`.
uint64_t xxh3Of(std::string_view bytes);

} // namespace pcc::runtime
