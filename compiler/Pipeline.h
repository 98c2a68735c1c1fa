// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The road from a model to the programs of its ranks: which passes run, in which order, and why.
// Nothing else in the project decides that.
//
//   stage      the module afterwards
//   graph      core ops, global shapes, no dead code
//   grad       @forward, @forward_backward, @update, and the step that invokes them
//   strategy   the same ops, with a sharding on every value
//   spmd       the program of one rank: local shapes and collectives
//   stages     a module for each pipeline stage, with its part of the program, if there are several
//   schedule   the same ops, with kernels, buffers and lanes as attributes
//   task       records, buffers, and the kernels as functions
//   llvm       the kernels in the llvm dialect
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/TrainingOptions.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/config.pb.h"
#include <functional>
#include <optional>

namespace pcc::plan {
struct MeshCandidate;
struct RecomputePart;
} // namespace pcc::plan
namespace pcc::schedule {
struct FusionOutcome;
} // namespace pcc::schedule
namespace pcc::strategy {
struct MemoryOutcome;
} // namespace pcc::strategy

namespace pcc {

enum class Stage { Graph, Grad, Strategy, Spmd, Stages, Schedule, Task, Llvm };

/// The name by which `--emit` and file names know a stage.
llvm::StringRef stringify(Stage stage);
/// The stage called `name`, in any case.
std::optional<Stage> parseStage(llvm::StringRef name);

/// What the road depends on, besides the model.
struct PipelineOptions {
  /// Every number set.
  abi::ParallelConfig parallel;
  /// Loss and optimizer; both empty: the model is only evaluated and there is no training step.
  /// Microbatches, copies and their reduction are those of `parallel`.
  autodiff::TrainingOptions training;
  /// As in --loss, for a model that is not trained: the labels of this loss become an input, which
  /// metrics compare outputs with; empty: the model's inputs are all.
  std::string evaluatedLoss;
  /// A complete machine (runtime/machine/Cluster.h) with a device for each rank, whose times
  /// decide; absent: elements moved decide.
  std::optional<abi::Cluster> cluster;
  /// Whole ops that spmd does not take apart, by mnemonic, although there are no kernels for them:
  /// for prices.
  std::vector<std::string> keptWhole;
  /// False: the program of one device, whatever mesh, pins and shardings the model comes with.
  bool obeysMarks = true;
  /// False: the model is in one piece, whatever stages its pins give.
  bool obeysStages = true;
  /// The architecture of the GPUs that run the program ("sm_90"); empty: it runs on the host.
  std::string gpuChip;
  /// Products, convolutions and attention of f32 there may round their factors to TF32.
  bool roundsToTf32 = false;
  /// Gradients are reduced beside the last backward pass; false: behind it.
  bool hidesReductions = true;
  /// In as many chunks at most products are cut whose sums over ranks can hide under each other.
  int64_t productChunks = 1;
  /// Bytes of a device that stages which are found are to fit into; 0: the memory limit.
  int64_t stageMemory = 0;
  /// Parts of the model, by their places in its list (compiler/plan/RecomputeParts.h), that are
  /// computed again for the gradients.
  std::vector<int64_t> recomputedParts;
  /// Of the search of AUTO_PARALLEL: the same seed and number of threads find the same plan.
  uint64_t searchSeed = 1;
  int searchThreads = 2;
  /// It ends when a plan is dearer than what is proved by no more than this part of its cost.
  double searchGap = 0;
  /// Seconds in which it says what each pin costs; 0: it does not.
  double pinTimeLimit = 0;
  /// Called with the candidates of a search of AUTO_PARALLEL, best first.
  std::function<void(llvm::ArrayRef<plan::MeshCandidate>)> observeSearch;
  /// The same of one under the cost model `memory`: called with what was found.
  std::function<void(const strategy::MemoryOutcome &)> observeMemorySearch;
  /// Called with the parts that may be computed again.
  std::function<void(llvm::ArrayRef<plan::RecomputePart>)> observeParts;
  /// Called if the model is to be cut in pipeline stages and there are none that fit.
  std::function<void()> observeNoStages;
  /// Called for each group of collectives that could share messages.
  std::function<void(const schedule::FusionOutcome &)> observeFusion;
  /// Called before the passes of each stage run, e.g. to attach timing.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// Called after each stage.
  std::function<mlir::LogicalResult(Stage, mlir::ModuleOp)> observe;

  bool trains() const { return !training.loss.empty() || !training.optimizer.empty(); }
  bool recomputes() const { return trains() && !recomputedParts.empty(); }
};

/// Adds the passes of one stage and the check of what holds after it. `isCut`: each pipeline stage
/// has a module of its own inside the module.
void addStage(mlir::OpPassManager &passes, Stage stage, const PipelineOptions &options,
              bool isCut = false);

/// Takes `module`, a graph, along the road up to and including `last`. Errors are diagnostics.
mlir::LogicalResult runPipeline(mlir::ModuleOp module, const PipelineOptions &options, Stage last);

} // namespace pcc
