// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each phase as a registered pass pipeline, `--pcc-graph` to `--pcc-llvm`. The pipelines take the
// options of a compilation as text, the same for all phases:
//
//   pcc-opt model.mlir --pcc-graph='config={device_num: 8 parallel_mode: DATA_PARALLEL} loss=mse'
//
// They consist of the passes that runPhases runs, so that phase by phase they give the same
// program.
#pragma once

#include "compiler/Compile.h"

namespace pcc {

/// Returns all phases in their order.
std::vector<CompilePhase> listPhases();

/// Returns `options` as options of a pipeline: `{config={…} loss=mse …}`. Observers, and the
/// messages `strategy` and `constraints`, are left out.
/// Phases choose nothing, so an absent list of recomputed parts is printed as an empty one.
std::string printPipelineOptions(const CompileOptions &options);

/// Parses such text without the outer braces. Numbers of the configuration that are not given get
/// their defaults. Returns an error `expected …, got …`.
llvm::Expected<CompileOptions> parsePipelineOptions(llvm::StringRef text);

/// Registers the pipelines by flag.
void registerPhasePipelines();

} // namespace pcc
