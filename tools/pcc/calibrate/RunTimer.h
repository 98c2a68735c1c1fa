// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times small programs as pcc runs them: compiled along the road, with the kernels, products and
// collectives of the device, by as many ranks as were asked for, all at the same time.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "runtime/machine/Link.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::cli {

/// `ops` are the text of ops on %0, %1, …, which hold zeros and have the types `arguments`; what
/// they make, %y0, %y1, …, has the types `results`. Collectives are waited for where they stand, or
/// with `isBeside` at the end, so that what stands behind them runs beside them. With
/// `timesCollective` only they are timed, if it runs on a GPU (TimedRun.h).
struct TimedProgram {
  std::vector<std::string> arguments;
  std::string ops;
  std::vector<std::string> results;
  bool isBeside = false;
  bool timesCollective = false;
};

class RunTimer {
public:
  /// Ranks share the machine's threads, and their collectives go over `link` if there is one; with
  /// `gpuChip` they run on its GPUs, for which that is the architecture. Each time is the least of
  /// `rounds` means over `secondsPerRound`.
  RunTimer(mlir::MLIRContext &context, int64_t ranks, const std::optional<machine::Link> &link,
           int rounds, double secondsPerRound, std::string gpuChip = {})
      : context(context), ranks(ranks), link(link), rounds(rounds),
        secondsPerRound(secondsPerRound), gpuChip(std::move(gpuChip)) {}

  bool isGpu() const { return !gpuChip.empty(); }

  int64_t getRanks() const { return ranks; }

  int getRounds() const { return rounds; }

  /// Seconds of one run on every rank, the slowest of which counts. Fails after a diagnostic.
  mlir::FailureOr<double> time(const TimedProgram &program);

  /// The same of several programs, of which so many rounds take turns: what happens to the machine
  /// meanwhile happens to all of them.
  mlir::FailureOr<std::vector<double>> timeInTurns(llvm::ArrayRef<TimedProgram> programs,
                                                   int rounds);

private:
  mlir::MLIRContext &context;
  int64_t ranks;
  std::optional<machine::Link> link;
  int rounds;
  double secondsPerRound;
  std::string gpuChip; ///< empty: the host
};

} // namespace pcc::cli
