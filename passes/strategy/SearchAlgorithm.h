// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search algorithms and cost models that a user can select.
#pragma once

namespace pcc::strategy {

enum class SearchAlgorithm {
  DynamicProgramming, ///< exact, by elimination; hands over to Best if its tables grow too large
  Best,               ///< anytime, with a bound
};

/// Measure by which plans are compared.
enum class CostModel {
  None,
  Roofline, ///< seconds on a described machine (RooflineCostModel)
  Memory,   ///< cost model of MindSpore (MemoryModel.h)
};

} // namespace pcc::strategy
