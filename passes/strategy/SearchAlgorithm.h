// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The searches by which a user may ask for a plan, and by what they compare plans.
#pragma once

namespace pcc::strategy {

enum class SearchAlgorithm {
  DynamicProgramming, ///< exact, by elimination; hands over to Best where its tables grow too large
  Best,               ///< anytime, with a bound
};

/// By what plans are compared.
enum class CostModel {
  None,
  Roofline, ///< seconds on a described machine (SearchPrices.h)
  Memory,   ///< the reference system's own (MemoryModel.h)
};

} // namespace pcc::strategy
