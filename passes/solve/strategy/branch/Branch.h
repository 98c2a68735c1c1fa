// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subproblem of the search, with its prices and bounds.
//
//   core → flat problem → prices → bounds of options → prune → smaller core → …
//
// Each iteration of this loop is a stage of the certificate. A good solution allows pruning, and
// pruning makes the core so small that better solutions are easy to find. For whole training graphs
// often a tenth of the table entries remains.
#pragma once

#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/bounds/PriceSearch.h"
#include <memory>

namespace pcc::solve {

/// Prices by time. They can be transferred to another set of segments.
using TimedPrices = std::vector<std::pair<int64_t, double>>;

class Branch {
public:
  /// Reduces `core`. Afterwards isClosed(), isSolved() or isOpen() holds, unless `stop` ended the
  /// reductions.
  Branch(Core core, const TimedPrices &prices, StepStyle style, Int128 bound, const Stop &stop);

  /// Whether the branch has no solution below the cutoff.
  bool isClosed() const { return core.isContradictory(); }

  /// Whether the reductions left nothing to choose.
  bool isSolved() const { return !isClosed() && core.isEmpty(); }
  bool isOpen() const { return flat != nullptr || !asleep.empty(); }

  /// Computes bounds of all options at the best prices. Returns the number that can be pruned at
  /// `cutoff`.
  size_t settle(int sweeps, Int128 cutoff);

  /// Prunes the core by exact integer bounds. Returns the stage of the certificate that proves it.
  /// The flat problem is not changed.
  CertificateStage pruneExactly(Int128 cutoff);

  /// Reduces the pruned core again and continues from the same prices.
  void reduceAgain(const Stop &stop);

  /// Release and rebuild everything that follows from the core, to save memory in waiting branches.
  void sleep();
  void wake();

  TimedPrices timedPrices() const;

  /// Converts a cost to the flat problem's scale, which excludes the core's constant.
  double withoutConstant(Int128 cost) const { return double(cost - core.constant); }

  Core core;
  std::vector<Segment> segments;
  std::unique_ptr<FlatProblem> flat;
  std::unique_ptr<PriceSearch> prices;
  std::vector<double> optionBounds; ///< from the last settle(), without the core's constant
  ExactBounds exact;                ///< from the last pruning
  Int128 bound = 0;                 ///< proved for all solutions of the branch below the cutoff
  StepStyle style;
  int parentStage = -1, childIndex = 0; ///< position of its first stage in the certificate

private:
  void makeFlatProblem(const std::vector<double> &startPrices);
  void start(const TimedPrices &prices, const Stop &stop);

  std::vector<double> asleep; ///< prices of a sleeping branch, and one more entry
};

} // namespace pcc::solve
