// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof of a bound. It is a tree of stages; the checker makes the problem smaller by the exact
// reductions of Reduce.h, which it computes itself, and then goes through the stages:
//
//   prune   from the stage's prices and messages it computes bounds in whole numbers; options whose
//           bound is at least the cutoff go, and the rest is reduced again
//   split   the options of one node are dealt out to the stages below; what they all prove holds
//
// A stage with nothing below ends with its bound. The cutoffs may not be below the cost of the
// solution, so that nothing cheaper was lost on the way. Nothing in the file is trusted: wrong
// prices and messages give poor bounds, never false ones.
//
// Beside the tree there may be prices and messages of the problem as it was given
// (WholeBound.h): what was found on a folded problem. The better bound of the two counts.
#pragma once

#include "passes/solve/ExactBounds.h"
#include "passes/solve/WholeBound.h"
#include "runtime/abi/Status.h"
#include <optional>

namespace pcc::solve {

struct CertificateStage {
  DualSolution dual;
  Int128 cutoff = 0;
  int split = -1;                           ///< node of the instance after pruning; −1: none
  std::vector<std::vector<int32_t>> groups; ///< of the options of `split`, one per stage below
  /// Stages with greater numbers: one if nothing is split; −1 where the reductions are the proof.
  std::vector<int> below;
};

struct Certificate {
  std::vector<CertificateStage> stages; ///< the first one is the root; none if reductions suffice
  std::optional<WholeDual> whole;       ///< a bound of the problem as it was given, beside theirs
};

/// What the checker found.
struct CheckResult {
  Int128 bound = 0;  ///< proved
  std::string error; ///< empty, or why the certificate proves nothing

  bool ok() const { return error.empty(); }
};

/// Proves a bound on the cost of every solution of `problem`. `cost` is that of a known solution.
/// The bound is at most `cost`, for nothing more can be proved with it.
CheckResult checkCertificate(const StrategyProblem &problem, const Certificate &certificate,
                             Int128 cost);

/// The same, of a solution, which is verified as well.
CheckResult checkCertificate(const StrategyProblem &problem, const Certificate &certificate,
                             const StrategySolution &solution);

/// Takes the options out of the core whose bound is at least `cutoff`. Sets its contradiction when
/// no option of a node is left. Shared by the search and the checker.
void prune(Core &core, const Instance &instance, const ExactBounds &bounds, Int128 cutoff);

/// The smallest whole number of the core's units that is at least `cost`.
Int128 toCoreUnits(const Core &core, Int128 cost);

std::string printCertificate(const Certificate &certificate);
abi::Expected<Certificate> parseCertificate(std::string_view text);

} // namespace pcc::solve
