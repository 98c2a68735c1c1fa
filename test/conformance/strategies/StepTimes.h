// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of a question under the cost model `roofline`. Measures the time of a training step
// in which the forward ops are split as given, and all other ops in the best way.
#pragma once

#include "test/conformance/strategies/Compiled.h"

namespace pcc::conformance {

/// Step times in picoseconds.
struct StepTimes {
  double theirs = 0; ///< time of the answer's assignment, given as constraints
  double cut = 0;    ///< time of the improved result of recursive programming
  /// Time of the best assignment on the mesh of the answer's, if that has few enough axes.
  std::optional<double> best;
  bool isWhole = true; ///< false if no plan was found in time for one of the three
};

/// Measures the steps. Returns nothing and sets `error` if the question does not compile.
std::optional<StepTimes> measureSteps(const Case &question, const Model &model,
                                      mlir::MLIRContext &context, std::string &error);

/// Step times of propagated strategies, in picoseconds.
struct PropagatedTimes {
  double ours = 0;   ///< what the question gives, propagated here
  double theirs = 0; ///< the answer's strategies of all nodes
};

/// Measures the steps of a question of propagation. Returns nothing and sets `error` if it does not
/// compile.
std::optional<PropagatedTimes> measurePropagation(const Case &question, const Model &model,
                                                  mlir::MLIRContext &context, std::string &error);

} // namespace pcc::conformance
