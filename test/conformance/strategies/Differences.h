// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences between an answer and the compiled program.
//
//   slices         of every operand and result: equal
//   layout         of result 0: every rank has the same block; counts of the device matrix: equal
//   reductions     equal; or the same groups, if a sum is cut for its reader at once
//   gradients      equal groups; or without ranks that repeat the calculation of others
//   traffic        elements that a rank receives, summed over reductions and redistributions: not
//                  more
#pragma once

#include "test/conformance/strategies/Compiled.h"

namespace pcc::conformance {

struct Differences {
  std::vector<std::string> wrong;
  std::vector<std::string> explained; ///< intended differences, with the reason
};

Differences compareForward(const Case &question, const Answer &answer, const Compiled &compiled);

void compareGradients(const Answer &answer, const std::map<std::string, Gradient> &gradients,
                      Differences &differences);

} // namespace pcc::conformance
