// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates comparisons of two numbers.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// Returns whether `x direction y` holds; with NaN only `ne` is true.
template <typename T> bool holds(Direction direction, T x, T y) {
  switch (direction) {
  case Direction::EQ:
    return x == y;
  case Direction::NE:
    return x != y;
  case Direction::LT:
    return x < y;
  case Direction::LE:
    return x <= y;
  case Direction::GT:
    return x > y;
  case Direction::GE:
    return x >= y;
  }
  llvm_unreachable("every direction is listed");
}

} // namespace pcc::graph
