// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random models with random strategies on random meshes, as data that can be reduced.
#pragma once

#include "test/oracle/sharding/Strategies.h"
#include <optional>

namespace pcc::test {

/// A value of the model: an argument, or the first result of one op.
struct ModelValue {
  std::string op;               ///< with `@0`, `@1#2` for its operands; empty for an argument
  std::vector<size_t> operands; ///< values before this one
  std::string type;             ///< `tensor<24x12xf32>`
  bool isParameter = false;     ///< the argument is a parameter
  unsigned numResults = 1;      ///< number of the op's results; only its users see the further ones
  std::optional<Strategy> strategy = {}; ///< given to the op
};

/// A model whose loss is the sum of the mean squares of all unused floats.
struct RandomProgram {
  std::vector<ModelValue> values; ///< arguments first
  dist::Mesh mesh;
  /// With a seed, some ops of the derivative get legal strategies as well.
  std::optional<uint64_t> gradientSeed = {};

  /// Returns a module with @forward; a comment gives the strategy of each op that has one. The op
  /// of value i, not counting arguments, is op i of the function.
  std::string str() const;
  size_t countArguments() const;
  bool isUsed(size_t value) const;
};

/// Makes a program of 10 to 60 ops of all kinds in models (Draw.h). Several ops share parameters.
/// Sizes have many divisors or are odd. The mesh has 3 to 12 ranks, and every second op has a legal
/// strategy.
RandomProgram makeRandomProgram(uint64_t seed);

/// Compares the program and its gradients on N ranks with one device; returns the difference, or an
/// empty text. Returns nothing if the program says nothing: no parameter influences its loss, or a
/// result on one device is a NaN.
std::optional<std::string> findDifference(const RandomProgram &program);

/// Returns the smallest program found that still differs; ops and strategies are dropped one by
/// one.
RandomProgram shrink(RandomProgram program);

} // namespace pcc::test
