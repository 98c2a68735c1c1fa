// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected values by name, with the tolerance for another way to run the same program. Comparisons
// use them, and golden results store them for comparisons on other machines.
#pragma once

#include "compiler/interpret/compare/Verify.h"

namespace pcc::interpret {

/// An expected value, and the greatest difference that an element may have.
struct Bound {
  Tensor value;
  double tolerance = 0.0;
};

using Bounds = std::map<std::string, Bound>;

/// Returns the bounds of every value of the reference.
Bounds boundsOf(const Reference &expected, double factor, Precision precision = Precision::Element);

/// Returns the bounds of every compared value of the training run, by the names of the cases.
Bounds boundsOf(const TrainingReference &reference, double factor,
                Precision precision = Precision::Element);

} // namespace pcc::interpret
