// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of `pcc explain --cost`: assumptions of the cost estimate about how a step is run.
#pragma once

#include "compiler/plan/cost/StepCost.h"
#include "tools/pcc/report/ExitCode.h"
#include "llvm/Support/CommandLine.h"

namespace pcc::cli {

enum class PrecisionName { F32, F16, BF16 };

class CostFlags {
public:
  explicit CostFlags(llvm::cl::SubCommand &command);

  /// Returns BadUsage, after an error message, for an invalid regular expression.
  ExitCode read(plan::CostOptions &options) const;

private:
  llvm::cl::opt<PrecisionName> precision;
  llvm::cl::opt<std::string> recompute, wide;
  llvm::cl::opt<bool> hidesActivations;
  llvm::cl::opt<double> bucketBytes;
};

} // namespace pcc::cli
