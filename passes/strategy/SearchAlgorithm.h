// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The searches by which a user may ask for a plan.
#pragma once

namespace pcc::strategy {

enum class SearchAlgorithm {
  DynamicProgramming, ///< exact, by elimination; hands over to Best where its tables grow too large
  Best,               ///< anytime, with a bound
};

} // namespace pcc::strategy
