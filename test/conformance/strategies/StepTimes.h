// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of a question under the cost model `roofline`. Measures the time of a training step
// in which the forward ops are split as given, and all other ops in the best way.
#pragma once

#include "test/conformance/strategies/Compiled.h"

namespace pcc::conformance {

/// Step times in picoseconds.
struct StepTimes {
  double theirs = 0;   ///< time of the answer's assignment, given as constraints
  double cut = 0;      ///< time of the improved result of recursive programming
  double best = 0;     ///< time of the best assignment on the mesh of the answer's
  bool isWhole = true; ///< false if no plan was found in time for one of the three
};

/// Measures the steps; returns nothing if the assignment needs a mesh of more than `maxAxes` axes.
std::optional<StepTimes> measureSteps(const Case &question, const Model &model, unsigned maxAxes,
                                      mlir::MLIRContext &context, std::string &error);

} // namespace pcc::conformance
