// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks both shapes together from the slowest dimension. Each step takes the greatest common
// divisor of the uncovered rests of both current dimensions as a factor, and never steps back.
#include "dialects/graph/rules/ReshapeFactors.h"

#include <numeric>

using namespace llvm;
using namespace pcc;

namespace {

/// One side of the reshape, read from its slowest dimension on.
class Side {
public:
  Side(FactorRule &rule, ArrayRef<int64_t> shape) : rule(rule), shape(shape), dims(shape.size()) {}

  /// Moves to the next dimension that is not fully covered; false at the end.
  bool advance() {
    while (left == 1 && next < shape.size())
      left = shape[next++];
    return left != 1;
  }
  int64_t getLeft() const { return left; }

  /// Gives the current dimension a factor that both sides share.
  void take(unsigned factor, int64_t size) {
    dims[next - 1].push_back(factor);
    left /= size;
  }

  /// Covers the rest of the current dimension with a whole factor; returns its size.
  int64_t takeWhole() {
    int64_t size = left;
    take(rule.addFactor(size, FactorKind::Whole), size);
    return size;
  }

  TensorFactors finish() { return std::move(dims); }

private:
  FactorRule &rule;
  ArrayRef<int64_t> shape;
  TensorFactors dims;
  size_t next = 0;  ///< the dimension after the current one
  int64_t left = 1; ///< size of the current dimension that no factor covers yet
};

} // namespace

/// Adds whole factors until both sides have passed the same number of elements.
static void skipUnmatched(Side &from, Side &to) {
  int64_t fromPassed = from.takeWhole(), toPassed = to.takeWhole();
  while (fromPassed != toPassed) {
    Side &behind = fromPassed < toPassed ? from : to;
    int64_t &passed = fromPassed < toPassed ? fromPassed : toPassed;
    if (!behind.advance())
      return;
    passed *= behind.takeWhole();
  }
}

FactorRule pcc::graph::matchReshape(ArrayRef<int64_t> fromShape, ArrayRef<int64_t> toShape) {
  FactorRule rule;
  Side from(rule, fromShape), to(rule, toShape);
  while (from.advance() && to.advance()) {
    int64_t common = std::gcd(from.getLeft(), to.getLeft());
    if (common == 1) {
      skipUnmatched(from, to);
      continue;
    }
    unsigned factor = rule.addFactor(common);
    from.take(factor, common);
    to.take(factor, common);
  }
  rule.addOperand(from.finish());
  rule.addResult(to.finish());
  return rule;
}
