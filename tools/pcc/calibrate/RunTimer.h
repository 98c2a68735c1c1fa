// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times small programs as pcc runs them: compiled along the road, with the kernels, products and
// collectives of the device, by as many ranks as were asked for, all at the same time.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "runtime/machine/Link.h"
#include <optional>

namespace pcc::cli {

class RunTimer {
public:
  /// Ranks share the machine's threads, and their collectives go over `link` if there is one. Each
  /// time is the least of `rounds` means over `secondsPerRound`.
  RunTimer(mlir::MLIRContext &context, int64_t ranks, const std::optional<machine::Link> &link,
           int rounds, double secondsPerRound)
      : context(context), ranks(ranks), link(link), rounds(rounds),
        secondsPerRound(secondsPerRound) {}

  int64_t getRanks() const { return ranks; }

  /// Seconds of one run of `ops` on every rank, the slowest of which counts. `arguments` are the
  /// types of %0, %1, …, which hold zeros; `ops` are the text of ops, and `results` the types of
  /// what they make, %y0, %y1, … Collectives are waited for where they stand, or with `beside` at
  /// the end, so that what stands behind them runs beside them. Fails after a diagnostic.
  mlir::FailureOr<double> time(llvm::ArrayRef<std::string> arguments, llvm::StringRef ops,
                               llvm::ArrayRef<std::string> results, bool beside = false);

private:
  mlir::MLIRContext &context;
  int64_t ranks;
  std::optional<machine::Link> link;
  int rounds;
  double secondsPerRound;
};

} // namespace pcc::cli
