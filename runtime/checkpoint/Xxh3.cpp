// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the functions of xxhash.h in, so that programs do not need its library.

#include "runtime/checkpoint/Xxh3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pcc::runtime {

struct Xxh3::State {
  XXH3_state_t state;
};

Xxh3::Xxh3() : state(std::make_unique<State>()) { XXH3_64bits_reset(&state->state); }
Xxh3::~Xxh3() = default;
Xxh3::Xxh3(Xxh3 &&) noexcept = default;

void Xxh3::update(std::string_view bytes) {
  XXH3_64bits_update(&state->state, bytes.data(), bytes.size());
}

uint64_t Xxh3::digest() const { return XXH3_64bits_digest(&state->state); }

uint64_t xxh3Of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

} // namespace pcc::runtime
