// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of a question under the cost model `roofline`: the time of a training step in which
// the forward ops are split as given, and all else as is best.
#pragma once

#include "test/conformance/strategies/Compiled.h"

namespace pcc::conformance {

/// In picoseconds.
struct StepTimes {
  double theirs = 0;   ///< of the answer's assignment, pinned
  double cut = 0;      ///< of recursive programming, improved
  double best = 0;     ///< the best on the mesh of the answer's assignment
  bool isWhole = true; ///< false: for one of them no plan was found in time
};

/// Nothing where the assignment needs a mesh of more than `mostAxes` axes.
std::optional<StepTimes> measureSteps(const Case &question, const Model &model, unsigned mostAxes,
                                      mlir::MLIRContext &context, std::string &error);

} // namespace pcc::conformance
