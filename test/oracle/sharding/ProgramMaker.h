// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random program that grows value by value: each result may be an operand of later ops.
#pragma once

#include "test/oracle/sharding/RandomProgram.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::test {

using Shape = llvm::SmallVector<int64_t, 4>;

class ProgramMaker {
public:
  explicit ProgramMaker(uint64_t seed) : random(seed) {}

  /// Returns a number in [0, end).
  int64_t draw(int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); }
  bool flip() { return random() % 2; }
  template <typename T, size_t n> T drawOf(const T (&list)[n]) { return list[random() % n]; }
  /// Returns all dimensions of `shape` in random order.
  Shape drawOrder(llvm::ArrayRef<int64_t> shape);

  size_t addArgument(const Shape &shape, bool isParameter, llvm::StringRef element = "f32");
  /// Adds the op `text`. In the text `@1` stands for operand 1, `$1` for its type, and `$r` for the
  /// type of the result, which is the first one of `numResults`. `@1#2` is result 2 of that
  /// operand's op.
  size_t add(llvm::StringRef text, const std::vector<size_t> &operands, const Shape &shape,
             llvm::StringRef element = "f32", unsigned numResults = 1);
  /// Adds a tanh of a value that may be large, so that long chains stay in range.
  size_t addTanh(size_t value);
  /// Adds the mean of the float `value` over all dimensions but `kept`, or sometimes returns
  /// another value of that shape.
  size_t addAlong(size_t value, llvm::ArrayRef<int64_t> kept);
  /// Adds a tensor of `shape` with the index of each element, i64.
  size_t addIndex(const Shape &shape);
  /// Adds a random seed, i64.
  size_t addSeed();
  /// Adds random numbers to each element of the float `value`. Otherwise the order of sums may
  /// decide which of two almost equal elements is greater.
  size_t addApart(size_t value);
  /// Adds result `number` of a value's op, a float of `shape`, as a value of its own.
  size_t addResult(size_t value, unsigned number, const Shape &shape);

  using Fits = llvm::function_ref<bool(llvm::ArrayRef<int64_t>)>;
  /// Picks a float of rank 1 or more whose shape satisfies `fits`; nothing if there is none. Later
  /// values are picked more often, as in a model.
  std::optional<size_t> pick(Fits fits) { return pickOf("f32>", fits); }
  /// Picks integers, i64, in the same way.
  std::optional<size_t> pickIntegers(Fits fits) { return pickOf("i64>", fits); }
  std::optional<size_t> pickOfRank(size_t least, size_t most = 4);
  size_t pickAny() { return *pickOfRank(1); }
  size_t pickLike(size_t value);

  const Shape &shapeOf(size_t value) const { return shapes[value]; }
  size_t size() const { return values.size(); }
  std::vector<ModelValue> take() { return std::move(values); }

  /// Returns true if values of `shape` are small enough for further ops.
  static bool isSmall(llvm::ArrayRef<int64_t> shape);

private:
  std::optional<size_t> pickOf(llvm::StringRef ending, Fits fits);

  std::mt19937_64 random;
  std::vector<ModelValue> values;
  std::vector<Shape> shapes;
};

/// Returns a text like `0, 1, 2`.
std::string joined(llvm::ArrayRef<int64_t> numbers);

} // namespace pcc::test
