// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random models with random strategies on random meshes, as data that can be made smaller.
#pragma once

#include "test/oracle/sharding/Strategies.h"
#include <optional>

namespace pcc::test {

/// A value of the model: an argument, or the first result of one op.
struct ModelValue {
  std::string op;               ///< with `@0`, `@1#2` for its operands; empty for an argument
  std::vector<size_t> operands; ///< values before this one
  std::string type;             ///< `tensor<24x12xf32>`
  bool isParameter = false;     ///< of an argument
  unsigned numResults = 1;      ///< of the op; only its users see the further ones
  std::optional<Strategy> strategy = {}; ///< given to the op
};

/// A model whose loss is the sum of the mean squares of all floats that nothing else uses.
struct RandomProgram {
  std::vector<ModelValue> values; ///< arguments first
  dist::Mesh mesh;
  /// With a seed, legal strategies are given to some ops of the derivative as well.
  std::optional<uint64_t> gradientSeed = {};

  /// A module with @forward, where each op with a strategy says so in a comment. The op of value i,
  /// counted without the arguments, is op i of the function.
  std::string str() const;
  size_t countArguments() const;
  bool isUsed(size_t value) const;
};

/// 10 to 60 ops of all kinds that models have (Draw.h), parameters that several of them use, sizes
/// with many divisors and odd ones; a mesh of 3 to 12 ranks; a legal strategy on every second op.
RandomProgram makeRandomProgram(uint64_t seed);

/// Whether the program and its gradients on N ranks are those of one device: empty, or how not.
std::string findDifference(const RandomProgram &program);

/// As small a program as can be found that still differs: ops and strategies are dropped one by
/// one.
RandomProgram shrink(RandomProgram program);

} // namespace pcc::test
