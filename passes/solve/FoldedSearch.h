// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems with repeated parts, by folding:
//
//   alike    all nodes that look alike choose alike    prices and messages are found here: a step
//                                                      takes a hundredth of the time
//   groups   … within a group of layers                a mixture of plans uses what the limit
//                                                      leaves; solutions are improved here
//   whole    each node for itself                      one pass proves the bound
//
// Each level starts from the prices, messages and solutions of the one before.
#pragma once

#include "passes/solve/BestSearch.h"

namespace pcc::solve {

/// Where a search ended, for the next one to go on.
struct FoldedPrices {
  TimedPrices prices; ///< none if nothing is repeated
  StepStyle style = kSharpSteps;
};

/// Where the problem repeats itself, offers solutions and raises the bound until the gap is what
/// was asked for or this way finds nothing more. Figures are those of the problem: the context's
/// core comes later.
FoldedPrices searchFolded(SearchContext &context);

} // namespace pcc::solve
