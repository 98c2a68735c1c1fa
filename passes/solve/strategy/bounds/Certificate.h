// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proof of a bound, as a tree of stages. The checker recomputes the exact reductions of Reduce.h,
// and then replays the stages:
//
//   prune   It computes exact integer bounds from the stage's prices and messages. It removes
//           options whose bound is at least the cutoff, and reduces the rest again.
//   split   It partitions the options of one node among the stages below it, its children. The
//           minimum of their bounds holds.
//
// A stage without children ends with its own bound. No cutoff may be below the cost of the
// solution, so nothing cheaper is lost on the way. The checker trusts nothing in the file: wrong
// prices and messages give weak bounds, never false ones.
//
// In addition to the tree there may be prices and messages of the original problem
// (OriginalBound.h), found on a folded problem. The better of the two bounds counts.
#pragma once

#include "passes/solve/strategy/bounds/OriginalBound.h"
#include "passes/solve/strategy/reduce/FlatProblem.h"
#include "runtime/abi/Status.h"
#include <optional>

namespace pcc::solve {

// Exact integer bounds from arbitrary prices and messages.
//
// Messages move costs between tables and nodes and keep the cost of every solution. The potential
// pot is the cost of option a of node i after that. The rest is what stays in the table of edge e:
//
//   pot(i, a)      = cost(i, a) + price of its usage + Σ over edges at i of message(edge, i, a)
//   rest(e, a, b)  = table(e, a, b) − message(e, u, a) − message(e, v, b)  ≥ 0
//
// The usage of a feasible solution costs at most the prices of all capacities. Therefore
//
//   cost of any solution  ≥  Σ over nodes of min over a of pot(i, a)  −  Σ price · capacity
//
// The messages to the later end of each edge are given. The messages to the earlier end are the
// greatest that leave no rest negative. A backward sweep then visits the nodes. It reads a bound
// for each option of a node, and moves costs from the node to its earlier neighbors.

/// Prices and messages as integers.
struct DualSolution {
  int costScale = 0;             ///< messages are in units of 2^-costScale
  int priceScale = 0;            ///< prices are in units of 2^-priceScale; at least costScale
  std::vector<int64_t> prices;   ///< by segment; not negative
  std::vector<int64_t> messages; ///< by edge of the flat problem, for each option of its later end
};

/// Bounds on the cost of a flat problem, including the core's constant, in the core's costs.
struct ExactBounds {
  Int128 bound = 0;
  std::vector<Int128>
      options; ///< bounds of solutions with each option; layout of FlatProblem::costs
};

/// Rounds the result of message passing. `messages` has the layout of MessagePassing.
DualSolution roundDual(const FlatProblem &flat, const std::vector<double> &prices,
                       const std::vector<float> &messages);

/// Returns an empty string, or the reason why `dual` cannot belong to the flat problem.
std::string check(const FlatProblem &flat, const DualSolution &dual);

/// Returns the bounds that `dual` proves. `dual` has passed `check`.
ExactBounds boundsOf(const Core &core, const FlatProblem &flat, const DualSolution &dual);

struct CertificateStage {
  DualSolution dual;
  Int128 cutoff = 0;
  int split = -1;                           ///< node of the flat problem after pruning; −1: none
  std::vector<std::vector<int32_t>> groups; ///< options of `split`, one list per child
  /// Numbers of the children, each greater than this stage's. Without a split there is at most one
  /// child. −1 means that the reductions alone are the proof.
  std::vector<int> below;
};

struct Certificate {
  std::vector<CertificateStage> stages; ///< the first one is the root; none if reductions suffice
  std::optional<OriginalDual> original; ///< an additional bound of the original problem
};

/// Result of the checker.
struct CheckResult {
  Int128 bound = 0;  ///< proved
  std::string error; ///< empty, or the reason why the certificate proves nothing

  bool ok() const { return error.empty(); }
};

/// Proves a bound on the cost of every solution of `problem`. `cost` is the cost of a known
/// solution. The bound is at most `cost`, because nothing more can be proved with it.
CheckResult checkCertificate(const StrategyProblem &problem, const Certificate &certificate,
                             Int128 cost);

/// Verifies `solution` and proves a bound with its cost.
CheckResult checkCertificate(const StrategyProblem &problem, const Certificate &certificate,
                             const StrategySolution &solution);

/// Removes options whose bound is at least `cutoff` from the core. Sets the core's contradiction
/// when no option of a node is left. Shared by the search and the checker.
void prune(Core &core, const FlatProblem &flat, const ExactBounds &bounds, Int128 cutoff);

/// Returns the smallest integer in the core's units that is at least `cost`.
Int128 toCoreUnits(const Core &core, Int128 cost);

std::string printCertificate(const Certificate &certificate);
abi::Expected<Certificate> parseCertificate(std::string_view text);

} // namespace pcc::solve
