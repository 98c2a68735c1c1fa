// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search of problems with repeated parts, by folding in three levels:
//
//   alike    All similar nodes have the same option. Prices and messages are found here; a step
//            takes a hundredth of the time.
//   groups   Similar nodes of a group of layers have the same option. A mixture of plans uses the
//            rest of the limit; solutions are improved here.
//   whole    Each node has its own option. Passes prove the bound while they improve it.
//
// Each level starts from the prices, messages and solutions of the previous level.
#pragma once

#include "passes/solve/strategy/branch/BestSearch.h"

namespace pcc::solve {

/// Final prices and step style of the folded search, for the next search.
struct FoldedPrices {
  TimedPrices prices; ///< empty if nothing is repeated
  StepStyle style = kSharpSteps;
};

/// Searches a problem that repeats itself. Offers solutions and raises the bound until the
/// requested gap is reached or there is no more progress. Costs are in the problem's units, because
/// the context has no core yet.
FoldedPrices searchFolded(SearchContext &context);

} // namespace pcc::solve
