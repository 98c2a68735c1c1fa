// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of a program that may be built, on the virtual clock: what choices between programs
// go by.
#pragma once

#include "compiler/Pipeline.h"
#include "runtime/simulate/Simulate.h"

namespace pcc::cli {

/// The records of a program and a step of it.
struct PricedRecords {
  abi::Executable program;
  simulate::Simulation step;
  std::string error; ///< why there is no such program; empty if there is one

  /// Planned, of the rank that needs most.
  int64_t peakBytes() const;
};

/// Builds the records of `model`, as imported, which stays as it is. `options` has a machine.
PricedRecords priceRecords(mlir::ModuleOp model, const PipelineOptions &options);

/// `options` for programs that are only priced: with a machine, this one where there is none, and
/// without what is asked of the program that is built alone.
PipelineOptions makePricedOptions(PipelineOptions options);

/// Bytes of a device that a program may take: the limit, else what the machine has.
int64_t getMemoryLimit(const PipelineOptions &options);

} // namespace pcc::cli
