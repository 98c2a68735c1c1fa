// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pin costs: the best plan with all pins, beside the best plan without that one, on the same
// mesh.
#pragma once

#include "passes/strategy/Search.h"

namespace pcc::strategy {

/// Seconds of a step.
struct PinPrice {
  std::string text;     ///< of the pin, as in PinShare
  bool isKnown = false; ///< false: there was no time for it
  double seconds = 0;   ///< that the step takes longer with the pin, by the plans that were found
  double most = 0;      ///< by the plan with the pin and the bound of those without it
};

/// The price of each pin, the dearest first, those without one last. `outcome` has a plan;
/// `options` are those of its search, but for the seconds, which are for all pins together.
std::vector<PinPrice> pricePins(const SearchOutcome &outcome, const SearchOptions &options);

} // namespace pcc::strategy
