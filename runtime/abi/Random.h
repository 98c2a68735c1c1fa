// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counter-based random numbers. The value at (seed, stream, index) needs no state, so every rank
// computes the elements that it holds, whatever the sharding. The mixer is the finalizer of
// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).

#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace pcc::abi {

/// A bijection of 64-bit words whose output bits all depend on all input bits.
inline uint64_t mixBits(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// Returns a stream number for a name (64-bit FNV-1a).
inline uint64_t streamOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// 64 random bits.
inline uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t index) {
  return mixBits(mixBits(mixBits(seed + 0x9e3779b97f4a7c15u) ^ stream) +
                 index * 0x9e3779b97f4a7c15u);
}

/// A random number, uniform in [0, 1), with 53 bits.
inline double randomUniform(uint64_t seed, uint64_t stream, uint64_t index) {
  return static_cast<double>(randomBits(seed, stream, index) >> 11) * 0x1p-53;
}

/// A random number, normal with mean 0 and deviation 1 (Box and Muller).
inline double randomNormal(uint64_t seed, uint64_t stream, uint64_t index) {
  double radius = std::sqrt(-2.0 * std::log1p(-randomUniform(seed, stream, 2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * randomUniform(seed, stream, 2 * index + 1));
}

/// A random number, uniform in [low, high).
inline double randomUniform(uint64_t seed, uint64_t stream, uint64_t index, double low,
                            double high) {
  return low + (high - low) * randomUniform(seed, stream, index);
}

/// A random number, normal with this mean and deviation.
inline double randomNormal(uint64_t seed, uint64_t stream, uint64_t index, double mean,
                           double deviation) {
  return mean + deviation * randomNormal(seed, stream, index);
}

} // namespace pcc::abi
