// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What another way to run a program must compute, and how far it may be off, by name: what
// comparisons look at, and what is recorded for comparisons on other machines.
#pragma once

#include "compiler/interpret/Verify.h"

namespace pcc::interpret {

/// A value, and the greatest difference that an element may have.
struct Bound {
  Tensor value;
  double tolerance = 0.0;
};

using Bounds = std::map<std::string, Bound>;

/// Of every value of the reference.
Bounds boundsOf(const Reference &expected, double factor, Precision precision = Precision::Element);

/// Of every value of the training run that is compared, by the names of the cases.
Bounds boundsOf(const TrainingReference &reference, double factor,
                Precision precision = Precision::Element);

} // namespace pcc::interpret
