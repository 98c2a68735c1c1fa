// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the numbers of `graph.rng_uniform` bit for bit, for the interpreter and for kernels.
//
//   mix(w):  w = (w ^ (w >> 30)) * 0xbf58476d1ce4e5b9
//            w = (w ^ (w >> 27)) * 0x94d049bb133111eb
//            w ^ (w >> 31)
//   bits  =  mix(mix(mix(seed + G)) + index * G),  G = 0x9e3779b97f4a7c15, all modulo 2^64
//   value =  (bits >> 40) * 2^-24, exact in f32
//
// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014) and G its increment. For one seed the bits are the SplitMix64 sequence
// from the state mix(mix(seed + G)), read at any index. (Initial values of parameters are drawn
// likewise, from a stream for each name between the two inner mixers; this is stream 0.)
#pragma once

#include <cstdint>

namespace pcc::graph {

inline constexpr uint64_t rngIncrement = 0x9e3779b97f4a7c15u;

constexpr uint64_t rngMix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// Returns the number of one element. `index` is its global index, so the number does not depend on
/// the sharding.
constexpr float rngUniform(int64_t seed, int64_t index) {
  uint64_t state = rngMix(rngMix(static_cast<uint64_t>(seed) + rngIncrement));
  uint64_t bits = rngMix(state + static_cast<uint64_t>(index) * rngIncrement);
  return static_cast<float>(bits >> 40) * 0x1p-24f;
}

} // namespace pcc::graph
