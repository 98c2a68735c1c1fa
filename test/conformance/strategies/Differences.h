// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between an answer and what was compiled.
//
//   slices         of every operand and result: equal
//   layout         of result 0: every rank has the same block; counts of the device matrix: equal
//   reductions     equal; or the same groups, where a sum is cut for its reader at once
//   gradients      equal groups; or without ranks that repeat what others calculate
//   traffic        elements that a rank receives, summed over reductions and redistributions: not
//                  more
#pragma once

#include "test/conformance/strategies/Compiled.h"

namespace pcc::conformance {

struct Differences {
  std::vector<std::string> wrong;
  std::vector<std::string> explained; ///< on purpose, with the reason
};

Differences compareForward(const Case &question, const Answer &answer, const Compiled &compiled);

void compareGradients(const Answer &answer, const std::map<std::string, Gradient> &gradients,
                      Differences &differences);

} // namespace pcc::conformance
