// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times small programs as pcc runs them: compiled by the compilation pipeline, with the kernels,
// matmuls and collectives of the device. All ranks run at the same time.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "runtime/machine/UniformLink.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::cli {

/// A program to time. `ops` is the text of ops on %0, %1, …, which hold zeros and have the types
/// `arguments`. Their results %y0, %y1, … have the types `results`. The program waits for a
/// collective immediately or, with `isConcurrent`, at its end, so that later ops run concurrently.
/// With `timesCollective` only the collectives are timed, if the program runs on a GPU.
struct TimedProgram {
  std::vector<std::string> arguments;
  std::string ops;
  std::vector<std::string> results;
  bool isConcurrent = false;
  bool timesCollective = false;
};

class RunTimer {
public:
  /// Ranks share the machine's threads, and their collectives go over `link` if there is one. With
  /// `gpuChip`, a GPU architecture, they run on the machine's GPUs. Each time is the least of
  /// `rounds` means over `secondsPerRound`.
  RunTimer(mlir::MLIRContext &context, int64_t ranks,
           const std::optional<machine::UniformLink> &link, int rounds, double secondsPerRound,
           std::string gpuChip = {})
      : context(context), ranks(ranks), link(link), rounds(rounds),
        secondsPerRound(secondsPerRound), gpuChip(std::move(gpuChip)) {}

  bool isGpu() const { return !gpuChip.empty(); }

  int64_t getRanks() const { return ranks; }

  int getRounds() const { return rounds; }

  /// Returns the seconds of one run on the slowest rank. Fails after a diagnostic.
  mlir::FailureOr<double> time(const TimedProgram &program);

  /// Times several programs. Their `rounds` rounds take turns, so that a perturbation of the
  /// machine affects all of them.
  mlir::FailureOr<std::vector<double>> timeInTurns(llvm::ArrayRef<TimedProgram> programs,
                                                   int rounds);

private:
  mlir::MLIRContext &context;
  int64_t ranks;
  std::optional<machine::UniformLink> link;
  int rounds;
  double secondsPerRound;
  std::string gpuChip; ///< empty: the host
};

} // namespace pcc::cli
