// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilation pipeline from a model to the programs of its ranks. Compile.cpp decides which
// passes run, in which order, and why. It calls StrategyPasses.cpp for the passes of phase
// strategy, and passes/autodiff/TrainingOptions.cpp for those of the loss and the gradients in
// phase grad.
//
//   phase      the module afterwards
//   graph      simplified ops, with patterns as composites; global shapes, no dead code
//   grad       @forward, @forward_backward, @update, and the step that invokes them
//   strategy   the same ops, with a sharding on every value; unchanged for one device
//   spmd       the program of one rank: local shapes and collectives
//   stages     one module for each of several pipeline stages, with its part of the program
//   fuse       the ops that kernels run, with the kernel of each op as an attribute
//   schedule   the same ops, with the order of kernels, buffers and streams as attributes
//   task       instructions, buffers, and the kernels as functions
//   llvm       the kernels in the llvm dialect
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/TrainingOptions.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/config.pb.h"
#include "runtime/abi/constraints.pb.h"
#include "runtime/abi/strategy.pb.h"
#include <functional>
#include <memory>
#include <optional>

namespace pcc {

struct SearchTables; // compiler/StrategyPasses.h

enum class CompilePhase { Graph, Grad, Strategy, Spmd, Stages, Fuse, Schedule, Task, Llvm };

/// Returns the name of a phase, as used by `--emit` and in file names.
llvm::StringRef stringify(CompilePhase phase);
/// Returns the phase called `name`, ignoring case.
std::optional<CompilePhase> parsePhase(llvm::StringRef name);

/// Inputs of the compilation pipeline besides the model.
struct CompileOptions {
  /// Parallel configuration with all numbers set. `interleave_num` 0: the number of copies is
  /// chosen (compiler/search/Choices.h).
  abi::ParallelConfig parallel;
  /// Loss and optimizer. Both empty: the model is only evaluated, without a training step.
  /// Microbatches, copies and the reduction over them come from `parallel`.
  autodiff::TrainingOptions training;
  /// Half type of mixed precision, "bf16" or "f16"; "f32" or empty: the model's own types.
  std::string precision;
  /// Entries NAME=TYPE that override the precision of ops (passes/graph/Passes.td).
  std::vector<std::string> precisionConstraints;
  /// Loss of a model that is evaluated but not trained, as in --loss. The labels of this loss
  /// become an input, with which metrics compare outputs. Empty: the model has only its own inputs.
  std::string evaluatedLoss;
  /// Complete machine description (runtime/machine/Cluster.h) with a device for each rank, for
  /// costs in seconds. Absent: the cost is the number of elements moved.
  std::optional<abi::Cluster> cluster;
  /// Mnemonics of composites that spmd keeps although they have no kernels; used for cost
  /// estimates.
  std::vector<std::string> keptComposites;
  /// False: compiles for one device and ignores the mesh, constraints and shardings of the model.
  bool obeysAnnotations = true;
  /// False: ignores the pipeline stages that the model's constraints give.
  bool obeysStages = true;
  /// Architecture of the GPUs that run the program ("sm_90"). Empty: the program runs on the host.
  std::string gpuChip;
  /// True: the program is only simulated or explained. Without a `gpuChip`, its matmuls use the
  /// types for which `cluster` has rates, not those that the CPU of this machine multiplies.
  bool isForCluster = false;
  /// Allows matmuls, convolutions and attention of f32 on GPUs to round their operands to TF32.
  bool roundsToTf32 = false;
  /// True: reduces gradients during the last backward pass. False: reduces them after it.
  bool hidesReductions = true;
  /// Strategy of a plan. Determines how the program is split, as the file in
  /// `strategy_ckpt_load_file` does, which takes precedence.
  std::shared_ptr<const abi::Strategy> strategy = {};
  /// Constraints of a plan, besides those of the module.
  std::shared_ptr<const abi::Constraints> constraints = {};
  /// Maximum number of chunks of a matmul whose reduction over ranks overlaps with other chunks.
  int64_t matmulChunks = 1;
  /// Bytes per device into which automatically found stages must fit; 0: the memory limit.
  int64_t stageMemory = 0;
  /// Parts of the model that are recomputed for the gradients, as indices into the list of
  /// compiler/plan/layers/RecomputeParts.h. Absent: parts are chosen if the program would exceed
  /// the memory limit (compiler/search/Choices.h).
  std::optional<std::vector<int64_t>> recomputedParts;
  /// True if the model's constraints name ops to recompute, so that the training section is cut
  /// even without pipeline stages. compiler/search/Choices.h reads it from the model.
  bool recomputesNamedOps = false;
  /// Random seed of the AUTO_PARALLEL search. The same seed and number of threads find the same
  /// plan.
  uint64_t searchSeed = 1;
  int searchThreads = 2;
  /// Factor by which the clock may exceed the time limit of the search, whose work the limit
  /// bounds.
  double searchSlowdown = 1;
  /// Called after parts of the search with the seconds that a typical machine takes for their work,
  /// and whether the clock has cut one off.
  std::function<void(double seconds, bool isCutOff)> countSearch = {};
  /// Ends the search when the plan's cost exceeds the proved lower bound by at most this fraction.
  double searchGap = 0;
  /// Time limit in seconds for computing the cost of each constraint; 0: do not compute it.
  double constraintTimeLimit = 0;
  /// Annotates the module with the seconds of each part that may be recomputed
  /// (compiler/plan/Passes.h).
  bool listsRecomputeParts = false;
  /// Annotates sections with the decisions about collectives that could be fused
  /// (passes/schedule/collectives/FusionRecords.h).
  bool recordsFusion = false;
  /// Verifies the IR after each pass, else after each phase, which takes less time.
  bool verifiesPasses = true;
  /// Called before the passes of each phase run, e.g. to attach timing.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// Called after each phase.
  std::function<mlir::LogicalResult(CompilePhase, mlir::ModuleOp)> observe;
  /// Called after phase strategy with the strategy of the program.
  std::function<void(abi::Strategy)> receiveStrategy = {};

  bool trains() const { return !training.loss.empty() || !training.optimizer.empty(); }
  bool recomputes() const {
    return trains() && (recomputesNamedOps || (recomputedParts && !recomputedParts->empty()));
  }
  /// Returns whether the step trains sharded parameters, which are gathered before they are read.
  bool shardsParameters() const {
    return trains() && parallel.enable_parallel_optimizer() &&
           parallel.parallel_optimizer_level() >= 3 && parallel.device_num() > 1;
  }
};

/// Sets the fields of `options.training` that follow from `options.parallel`. Returns an error if a
/// text of the training step or of the evaluated loss is invalid.
llvm::Error completeTraining(CompileOptions &options);

/// Returns whether `mode` obeys the user's constraints: true for all modes in which the compiler
/// completes a partial strategy.
bool obeysConstraints(abi::ParallelMode mode);

/// Checks that the compilation pipeline can run with `options`: they contradict neither each other
/// nor the model. Emits an error for the first option that is wrong.
mlir::LogicalResult checkOptions(mlir::ModuleOp module, const CompileOptions &options);

/// Returns options for the same computation on one device: the same actions on one rank. Ignores
/// the model's sharding annotations, unless the model itself was written for many ranks.
CompileOptions getSingleRankOptions(CompileOptions options);

/// Returns whether the training section is cut: into pipeline stages or, without them, into a
/// forward and a backward section. The two sections exist if the backward pass recomputes values,
/// and if parameters are sharded: gathered parameters do not stay from one section to the next.
/// After phase stages a cut program has a module for each stage.
bool isCut(const CompileOptions &options);

/// Adds the passes of one phase, and the pass that verifies the phase. `hasStageModules`: each
/// pipeline stage has a nested module.
void addPhase(mlir::OpPassManager &passes, CompilePhase phase, const CompileOptions &options,
              bool hasStageModules = false);

/// Runs the compilation pipeline on the graph `module` up to and including phase `last`. Reports
/// errors as diagnostics. If it fails because no plan fits into memory, the module gets the
/// attribute `pcc.infeasible` (compiler/plan/Passes.h). All choices in `options` must be made;
/// compiler/search/CompileProgram.h makes them and compiles to a program. `tables`, if given,
/// receives the results of the search in phase strategy.
mlir::LogicalResult runPhases(mlir::ModuleOp module, const CompileOptions &options,
                              CompilePhase last, SearchTables *tables = nullptr);

} // namespace pcc
