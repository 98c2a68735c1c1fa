// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the problem that may hold a better solution, and what is known of it.
//
//   core → instance → prices → bounds of options → prune → smaller core → …
//
// Each turn of this wheel is a stage of the certificate. A good solution makes the bounds prune,
// and pruning makes the core so small that better solutions are easy to see: of whole training
// graphs often a tenth of the table entries remains.
#pragma once

#include "passes/solve/Certificate.h"
#include "passes/solve/PriceSearch.h"
#include <memory>

namespace pcc::solve {

/// Prices by time, to be carried over to another set of segments.
using TimedPrices = std::vector<std::pair<int64_t, double>>;

class Branch {
public:
  /// Reduces `core`; then either isClosed() or isSolved() or isOpen(), or `stop` said so before.
  Branch(Core core, const TimedPrices &prices, StepStyle style, Int128 bound, const Stop &stop);

  /// Nothing in it is better than the cutoff.
  bool isClosed() const { return core.isContradictory(); }

  /// The reductions left nothing to choose.
  bool isSolved() const { return !isClosed() && core.isEmpty(); }
  bool isOpen() const { return instance != nullptr || !asleep.empty(); }

  /// Bounds the options at the best prices. Returns how many of them can go at `cutoff`.
  size_t settle(int sweeps, Int128 cutoff);

  /// Prunes the core with whole numbers; the stage says how. The instance stays as it was.
  CertificateStage pruneExactly(Int128 cutoff);

  /// Reduces what pruning left, and goes on from the same prices.
  void renew(const Stop &stop);

  /// Lets go of all that can be made again from the core while nobody works on it, and makes it.
  void sleep();
  void wake();

  TimedPrices timedPrices() const;

  /// An instance's figure without the core's constant.
  double toInstance(Int128 cost) const { return double(cost - core.constant); }

  Core core;
  std::vector<Segment> segments;
  std::unique_ptr<Instance> instance;
  std::unique_ptr<PriceSearch> prices;
  std::vector<double> optionBounds; ///< of the last settle, without the core's constant
  ExactBounds exact;                ///< of the last pruning
  Int128 bound = 0;                 ///< proved for all solutions in it that are below the cutoff
  StepStyle style;
  int stageAbove = -1, slotAbove = 0; ///< where its first stage hangs in the certificate

private:
  void makeInstance(const std::vector<double> &startPrices);
  void start(const TimedPrices &prices, const Stop &stop);

  std::vector<double> asleep; ///< prices of a sleeping branch, and one more figure
};

} // namespace pcc::solve
