// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per phase adds its passes, in order. The table `phases` lists these functions.
#include "compiler/Compile.h"

#include "compiler/PhasePipelines.h"
#include "compiler/PipelineShape.h"
#include "compiler/StrategyCheckpoint.h"
#include "compiler/StrategyPasses.h"
#include "compiler/VerifyPhase.h"
#include "compiler/import/constraints/Constraints.h"
#include "compiler/passes/AttachCluster.h"
#include "compiler/passes/FoldConstants.h"
#include "compiler/passes/Structure.h"
#include "compiler/passes/WidenParameters.h"
#include "compiler/plan/Passes.h"
#include "dialects/pipe/Stages.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"
#include "passes/autodiff/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/lower/host/EmitKernels.h"
#include "passes/lower/host/HostTarget.h"
#include "passes/partition/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/strategy/Passes.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"

using namespace mlir;
using namespace pcc;

/// Merges equal ops and removes dead ops. Runs after passes that leave equal or dead ops.
static void addCleanUp(OpPassManager &passes) {
  passes.addPass(graph::createGraphCanonicalize());
  passes.addPass(createCSEPass());
}

/// Raises decompositions in imported models to composites, which have far better rules, local forms
/// and kernels. The raising passes recognize different ops, so their order does not matter.
static void addRaising(OpPassManager &passes) {
  passes.addPass(graph::createGraphRaiseActivations());
  passes.addPass(graph::createGraphRaiseNorms());
  passes.addPass(graph::createGraphRaiseRotary());
  passes.addPass(graph::createGraphRaiseAttention());
  passes.addPass(graph::createGraphRaiseLosses());
  addCleanUp(passes);
  passes.addPass(graph::createGraphNameComposites());
}

/// Without several stages, every schedule runs each microbatch forward and then backward.
static order::PipelineShape getCutShape(const CompileOptions &options) {
  order::PipelineShape shape = getPipelineShape(options.parallel);
  if (shape.devices == 1)
    return {1, shape.microbatches, 1, order::Placement::Looped};
  return shape;
}

/// Lets the model compute in mixed precision. Parameters of a half type get master weights.
static void addPrecision(OpPassManager &passes, const CompileOptions &options) {
  if (options.precision.empty())
    return;
  passes.addPass(createWidenParametersPass(options.precision));
  passes.addPass(graph::createGraphAssignPrecision(
      {options.precision, llvm::to_vector(options.precisionConstraints)}));
}

/// graph: simplifies the model, so that later passes handle few kinds of ops, each in one form.
/// Attaches the machine for all phases, and collects annotations by name, since ops may vanish.
static void addGraph(OpPassManager &passes, const CompileOptions &options) {
  if (options.cluster)
    passes.addPass(createAttachClusterPass(machine::toText(*options.cluster)));
  if (isCut(options))
    passes.addPass(pipeline::createCollectAnnotations());
  if (!options.obeysAnnotations)
    passes.addPass(strategy::createStrategyEraseAnnotations());
  else if (obeysConstraints(options.parallel.parallel_mode()))
    passes.addPass(strategy::createStrategyCollectConstraints());
  addCleanUp(passes);
  passes.addPass(createFoldConstantsPass()); // before raising, which looks for constant masks
  addRaising(passes);
  // Runs after raising, because the split parts are named by their position in an attention.
  passes.addPass(graph::createGraphSplitFusedMatmuls());
  addPrecision(passes, options);
  passes.addPass(createFoldConstantsPass()); // folds tables and masks that raising has cut
  addCleanUp(passes);
}

/// Applies the stages that the user gives. If there are none, searches for stages.
static void addStageAnnotations(OpPassManager &passes, const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  order::PipelineShape shape = getPipelineShape(config);
  if (shape.devices == 1)
    return;
  passes.addPass(pipeline::createApplyStageConstraints({shape.devices, shape.chunks}));
  plan::PlanFindStagesOptions find;
  find.stages = shape.devices;
  find.virtualStages = shape.chunks;
  find.placement = shape.placement;
  find.schedule = getScheduleName(config);
  find.microBatches = shape.microbatches;
  find.copies = options.training.copies;
  find.deviceNum = config.device_num() / shape.devices;
  find.isReplicated = config.parallel_mode() != abi::SEMI_AUTO_PARALLEL &&
                      config.parallel_mode() != abi::AUTO_PARALLEL;
  find.memoryLimit = options.stageMemory > 0 ? options.stageMemory : config.memory_limit();
  find.loss = options.training.loss;
  find.optimizer = options.training.optimizer;
  passes.addPass(plan::createPlanFindStages(find));
}

/// Annotates the parts in `recomputedParts` for recomputation, and lists the parts that exist. A
/// program that is cut without pipeline stages becomes one stage.
static void addRecomputeAnnotations(OpPassManager &passes, const CompileOptions &options) {
  bool isAlone = isCut(options) && getPipelineShape(options.parallel).devices == 1;
  if (!isAlone && !options.recomputes() && !options.listsRecomputeParts)
    return;
  plan::PlanAnnotateRecomputeOptions mark;
  if (options.recomputedParts)
    llvm::append_range(mark.parts, *options.recomputedParts);
  mark.deviceNum = options.parallel.device_num();
  mark.isAlone = isAlone;
  mark.listsParts = options.listsRecomputeParts;
  passes.addPass(plan::createPlanAnnotateRecompute(mark));
}

/// Assigns ops to virtual stages and inserts transfers where values cross between them.
static void addTransfers(OpPassManager &passes, const CompileOptions &options) {
  if (!isCut(options))
    return;
  order::PipelineShape shape = getCutShape(options);
  passes.addPass(pipeline::createAssignStages({shape.devices, shape.chunks, shape.placement}));
  passes.addPass(pipeline::createInsertTransfers());
}

/// Turns shardings in the model's file into constraints, once the ops are final.
static void addFileShardings(OpPassManager &passes, const CompileOptions &options) {
  if (!options.obeysAnnotations)
    return;
  strategy::StrategyApplyFileShardingsOptions apply;
  apply.deviceNum = options.parallel.device_num();
  apply.stages = getPipelineShape(options.parallel).devices;
  if (!obeysConstraints(options.parallel.parallel_mode()))
    apply.mode = StringRef(abi::ParallelMode_Name(options.parallel.parallel_mode())).lower();
  passes.addPass(strategy::createStrategyApplyFileShardings(apply));
}

/// Builds the training step. The batch is split before differentiation, so that a mean loss
/// is a mean over one microbatch. Transfers are inserted after the loss and before differentiation,
/// so that gradients return along the same transfers. No op changes its meaning after this phase.
static void addStep(OpPassManager &passes, const CompileOptions &options) {
  if (!options.trains()) {
    addStageAnnotations(passes, options);
    if (!options.evaluatedLoss.empty())
      passes.addPass(autodiff::createAttachLoss({options.evaluatedLoss, /*labelsOnly=*/true}));
    passes.addPass(graph::createGraphRecordInputRanges());
    return addTransfers(passes, options);
  }
  passes.addPass(autodiff::createCheckParameters());
  int64_t slots = options.training.microBatches * options.training.copies;
  if (slots > 1)
    passes.addNestedPass<func::FuncOp>(graph::createGraphSplitBatch({slots}));
  addStageAnnotations(passes, options);
  addRecomputeAnnotations(passes, options);
  autodiff::addLossPasses(passes, options.training);
  passes.addPass(graph::createGraphRecordInputRanges());
  addTransfers(passes, options);
  autodiff::addGradientPasses(passes, options.training);
  addCleanUp(passes);
  passes.addPass(plan::createPlanRecordModelFlops());
}

/// grad: builds the training step, then turns the file's shardings into constraints on its ops.
static void addGrad(OpPassManager &passes, const CompileOptions &options) {
  addStep(passes, options);
  addFileShardings(passes, options);
}

/// strategy: puts a sharding on every value and only annotates. No pass runs between strategy and
/// partition, so partition finds exactly the ops that were annotated.
static void addStrategy(OpPassManager &passes, const CompileOptions &options) {
  addShardingPasses(passes, options);
  addRefinementPasses(passes, options);
}

/// Decomposes composites except attention, which has instructions of its own. Then the statistics
/// of norms are those that their derivatives compute again, and are merged.
static void addDecomposition(OpPassManager &passes, const CompileOptions &options) {
  graph::GraphDecomposeOptions decompose;
  decompose.keep = {"attention", "attention_gradient"};
  llvm::append_range(decompose.keep, options.keptComposites);
  passes.addPass(graph::createGraphDecompose(decompose));
  addCleanUp(passes);
  if (options.parallel.device_num() > 1)
    passes.addNestedPass<func::FuncOp>(partition::createMergeScaledSums());
}

/// spmd: applies the shardings. Composites are partitioned before they are decomposed, since one
/// rule for a composite is better than the rules of its decomposition. If the training section is
/// cut, the decomposition runs after the cut, in the next phase. No shape is global after this
/// phase.
static void addSpmd(OpPassManager &passes, const CompileOptions &options) {
  passes.addPass(partition::createInsertReshards());
  passes.addPass(partition::createReshardsToCollectives());
  passes.addPass(partition::createLocalize());
  if (options.trains() && options.parallel.parameter_broadcast())
    passes.addPass(partition::createBroadcastParameters());
  passes.addPass(partition::createDecomposeExchanges());
  if (options.trains())
    passes.addPass(partition::createMergeScalarSums());
  if (!isCut(options))
    addDecomposition(passes, options);
}

/// stages: makes the programs of the pipeline stages. Composites are decomposed after the cut, so
/// that only the values that derivatives save pass between sections. Values of the decomposition do
/// not pass between sections, because both sides compute them. Copies of a microbatch are
/// interleaved late, because until then all copies are alike. After this phase no message between
/// ranks is added; a collective may still be cut into several.
static void addStages(OpPassManager &passes, const CompileOptions &options) {
  order::PipelineShape shape = getCutShape(options);
  if (isCut(options)) {
    passes.addPass(pipeline::createRecomputeElementwise());
    passes.addPass(pipeline::createApplyRecomputeConstraints());
    passes.addPass(
        pipeline::createCutStages({shape.devices, shape.chunks, shape.placement,
                                   shape.devices > 1 && splitsBackward(options.parallel)}));
    addDecomposition(passes, options);
  }
  if (options.training.copies > 1) {
    passes.addPass(pipeline::createJoinCopies());
    addCleanUp(passes);
  }
}

/// Chooses the types that the device multiplies.
static fusion::PrepareKernelsOptions getKernelOptions(const CompileOptions &options) {
  if (!options.gpuChip.empty())
    return {.multipliesHalf = true, .multipliesBFloat16 = true};
  if (!options.isForCluster || !options.cluster)
    return {.multipliesHalf = false, .multipliesBFloat16 = lower::hostMultipliesBFloat16()};
  const abi::DeviceFigures &device = options.cluster->device();
  return {.multipliesHalf = machine::hasRate(device, abi::CONTRACTION, abi::F16),
          .multipliesBFloat16 = machine::hasRate(device, abi::CONTRACTION, abi::BF16)};
}

/// fuse, for each program: rewrites ops for the target and decides which ops form a kernel. The
/// order of the passes matters:
///
/// * Matmuls are chunked first, because each chunk may have an epilogue.
/// * Fusion of epilogues into GPU matmuls runs after the clean-up, because merging and removing ops
///   would lose its annotations. The passes after it keep the annotated ops. SplitReductions leaves
///   the reductions that matmul instructions compute. FuseHeadTransposes changes only transposes
///   around attention.
/// * Kernels are assigned after these, from the annotated ops and the split reductions.
/// * RecomputePointwise recomputes values in the kernels that read them, so it needs the kernels.
///   It changes only kernels that are loops, and leaves those of library calls as they are.
///
/// No op changes after this phase.
static void addFuse(OpPassManager &passes, const CompileOptions &options) {
  bool isGpu = !options.gpuChip.empty();
  if (options.matmulChunks > 1)
    passes.addPass(fusion::createChunkMatmuls({options.matmulChunks}));
  passes.addPass(fusion::createPrepareKernels(getKernelOptions(options)));
  addCleanUp(passes);
  if (isGpu) {
    passes.addPass(fusion::createFuseEpilogues());
    passes.addPass(fusion::createSplitReductions());
  }
  passes.addPass(fusion::createFuseHeadTransposes());
  passes.addNestedPass<func::FuncOp>(fusion::createAssignKernels());
  passes.addNestedPass<func::FuncOp>(fusion::createRecomputePointwise());
}

/// schedule, for all pipeline stages together: orders the actions of the stages on their
/// microbatches, by their estimated times. This order bounds the number of messages in flight
/// between stages. Stages that a file has already cut keep the order of the file.
static void addOrder(OpPassManager &passes, const CompileOptions &options) {
  if (isCut(options)) {
    schedule::OrderActionsOptions order;
    if (getCutShape(options).devices > 1)
      order.schedule = getScheduleName(options.parallel);
    passes.addPass(plan::createPlanEstimateStageCosts({options.parallel.memory_limit()}));
    passes.addPass(schedule::createOrderActions(order));
  }
  passes.addPass(schedule::createAnnotateInFlight());
}

/// Chooses which collectives are fused into one message.
static void addFusion(OpPassManager &passes, const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  schedule::FuseCollectivesOptions fuse;
  fuse.commFusion = config.comm_fusion();
  fuse.allReduceConfig = config.all_reduce_fusion_config();
  fuse.byReference = config.size_rule() == abi::SIZE_RULE_REFERENCE;
  fuse.limit = config.fusion_limit();
  fuse.hides = options.hidesReductions;
  fuse.records = options.recordsFusion;
  passes.addPass(schedule::createFuseCollectives(fuse));
}

/// Orders the kernels of each section, including kernels of the update that may be hoisted.
static void addKernelOrder(OpPassManager &passes, const CompileOptions &options) {
  if (options.hidesReductions)
    passes.addPass(schedule::createOverlapReductions());
  if (options.parallel.device_num() > 1)
    passes.addPass(schedule::createOrderKernels({options.parallel.memory_limit()}));
}

/// schedule, for each program: chooses the order of kernels and buffer offsets, and only annotates.
/// The order of the passes matters:
///
/// * The order of kernels tells when gradients are complete, and so which collectives to fuse.
///   Fusion delays collectives, so kernels are then ordered again.
/// * Memory is planned last, because it needs the order. VerifyMemory checks that buffers hold what
///   kernels read, while values still have names.
///
/// No buffer moves after this phase.
static void addSchedule(OpPassManager &passes, const CompileOptions &options) {
  addKernelOrder(passes, options);
  if (options.parallel.device_num() > 1) {
    addFusion(passes, options);
    addKernelOrder(passes, options);
  }
  passes.addPass(schedule::createPlanMemory());
  passes.addPass(schedule::createVerifyMemory());
}

/// task: turns the annotations into instructions and each kernel into a function of core ops.
static void addTask(OpPassManager &passes, const CompileOptions &) {
  passes.addPass(lower::createLowerToTask());
}

/// llvm: turns the kernels of all stages into loops in the llvm dialect. GPU kernels become the
/// program of one GPU thread, in a module of their own. LLVM itself, the linker and the assembler
/// run after the compilation pipeline.
static void addLlvm(OpPassManager &passes, const CompileOptions &options) {
  passes.addPass(lower::createShareKernels());
  if (options.gpuChip.empty())
    return passes.addPass(lower::createEmitKernels());
  passes.addPass(lower::createEmitGpuKernels({options.gpuChip, options.roundsToTf32}));
  if (options.gpuChip == lower::emulatorChip)
    return passes.addPass(lower::createEmulateGpuKernels());
  passes.addNestedPass<gpu::GPUModuleOp>(lower::createConvertGpuKernels());
}

namespace {
struct PhaseRow {
  CompilePhase phase;
  const char *name;
  /// `add` adds passes on the module, `addOfPrograms` passes on each program in it (pipeline
  /// stages have one each). Null: no such passes.
  void (*add)(OpPassManager &passes, const CompileOptions &options);
  void (*addOfPrograms)(OpPassManager &passes, const CompileOptions &options) = nullptr;
  /// The phase leaves all ops as they are. VerifyPhase checks this.
  bool onlyAnnotates = false;
};
} // namespace

static constexpr PhaseRow phases[] = {
    {CompilePhase::Graph, "graph", addGraph},
    {CompilePhase::Grad, "grad", addGrad},
    {CompilePhase::Strategy, "strategy", addStrategy, nullptr, /*onlyAnnotates=*/true},
    {CompilePhase::Spmd, "spmd", addSpmd},
    {CompilePhase::Stages, "stages", addStages},
    {CompilePhase::Fuse, "fuse", nullptr, addFuse},
    {CompilePhase::Schedule, "schedule", addOrder, addSchedule, /*onlyAnnotates=*/true},
    {CompilePhase::Task, "task", nullptr, addTask},
    {CompilePhase::Llvm, "llvm", addLlvm},
};

llvm::StringRef pcc::stringify(CompilePhase phase) { return phases[static_cast<int>(phase)].name; }

std::optional<CompilePhase> pcc::parsePhase(llvm::StringRef name) {
  for (const PhaseRow &row : phases)
    if (name.equals_insensitive(row.name))
      return row.phase;
  return std::nullopt;
}

void pcc::addPhase(OpPassManager &passes, CompilePhase phase, const CompileOptions &options,
                   bool hasStageModules) {
  const PhaseRow &row = phases[static_cast<int>(phase)];
  if (row.onlyAnnotates)
    passes.addPass(createRecordStructurePass());
  if (row.add)
    row.add(passes, options);
  if (row.addOfPrograms)
    row.addOfPrograms(hasStageModules ? passes.nest<ModuleOp>() : passes, options);
  passes.addPass(createVerifyPhasePass(phase));
}

/// Runs the passes that `add` adds.
static LogicalResult run(ModuleOp module, const CompileOptions &options,
                         llvm::function_ref<void(OpPassManager &)> add) {
  PassManager passes(module.getContext());
  if (options.configure && failed(options.configure(passes)))
    return failure();
  if (!options.verifiesPasses)
    passes.enableVerifier(false);
  add(passes);
  if (failed(passes.run(module)))
    return failure();
  return options.verifiesPasses ? success() : mlir::verify(module);
}

/// Runs phase strategy, whose search returns its results in `tables`.
static LogicalResult runStrategy(ModuleOp module, const CompileOptions &options,
                                 SearchTables &tables) {
  if (failed(run(module, options,
                 [](OpPassManager &passes) { passes.addPass(createRecordStructurePass()); })) ||
      failed(runSearch(module, options, tables)))
    return failure();
  return run(module, options, [&](OpPassManager &passes) {
    addRefinementPasses(passes, options);
    passes.addPass(createVerifyPhasePass(CompilePhase::Strategy));
  });
}

static LogicalResult runPhase(ModuleOp module, const CompileOptions &options, CompilePhase phase,
                              SearchTables *tables) {
  if (tables && phase == CompilePhase::Strategy && searches(options))
    return runStrategy(module, options, *tables);
  bool hasStages = countStages(module) > 0;
  return run(module, options,
             [&](OpPassManager &passes) { addPhase(passes, phase, options, hasStages); });
}

/// Attaches the constraints of the options' plan to a module as imported.
static LogicalResult attachPlanConstraints(ModuleOp module, const CompileOptions &options) {
  if (!options.constraints)
    return success();
  return import::attachConstraints(module, *options.constraints, [](StringRef list, int index) {
    return (list + " " + Twine(index) + " of the plan").str();
  });
}

LogicalResult pcc::runPhases(ModuleOp module, const CompileOptions &options, CompilePhase last,
                             SearchTables *tables) {
  if (failed(attachPlanConstraints(module, options)) || failed(checkOptions(module, options)))
    return failure();
  const abi::ParallelConfig &config = options.parallel;
  abi::StrategyFingerprint fingerprint;
  if (!config.strategy_ckpt_load_file().empty() || !config.strategy_ckpt_save_file().empty() ||
      options.strategy || options.receiveStrategy)
    fingerprint = makeFingerprint(module, options); // before any pass changes the model
  if (failed(loadStrategy(module, options, fingerprint)))
    return failure();
  for (const PhaseRow &row : phases) {
    if (failed(runPhase(module, options, row.phase, tables)))
      return failure();
    if (row.phase == CompilePhase::Strategy && failed(saveStrategy(module, options, fingerprint)))
      return failure();
    if (options.observe && failed(options.observe(row.phase, module)))
      return failure();
    if (row.phase == last)
      break;
  }
  return success();
}
