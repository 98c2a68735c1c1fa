// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Pipeline.h"

#include "compiler/CheckOptions.h"
#include "compiler/PipelineShape.h"
#include "compiler/PriceStages.h"
#include "compiler/StrategyFiles.h"
#include "compiler/StrategyPasses.h"
#include "compiler/VerifyStage.h"
#include "compiler/plan/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "passes/autodiff/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/EmitKernels.h"
#include "passes/lower/HostTarget.h"
#include "passes/lower/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/strategy/Passes.h"
#include "runtime/machine/Cluster.h"

using namespace mlir;
using namespace pcc;

/// Equal ops become one, and what nobody reads goes; the end of every stage that rewrites ops.
static void addCleanUp(OpPassManager &passes) {
  passes.addPass(graph::createGraphCanonicalize());
  passes.addPass(createCSEPass());
}

/// What files spell in pieces becomes whole ops: rules, local forms and kernels of wholes are far
/// better than those of pieces. They recognise different ops, so their order does not matter.
static void addRaising(OpPassManager &passes) {
  passes.addPass(graph::createGraphRaiseActivations());
  passes.addPass(graph::createGraphRaiseNorms());
  passes.addPass(graph::createGraphRaiseRotary());
  passes.addPass(graph::createGraphRaiseAttention());
  passes.addPass(graph::createGraphRaiseLosses());
  addCleanUp(passes);
}

/// Whether the training section is cut: in pipeline stages, or only in a forward and a backward
/// one, so that the second may compute again what the first does not keep.
static bool isCut(const PipelineOptions &options) {
  return getPipelineShape(options.parallel).devices > 1 || options.recomputes();
}

/// The schedule of one stage is that each microbatch goes forward and backward, whatever the name.
static order::PipelineShape getCutShape(const PipelineOptions &options) {
  order::PipelineShape shape = getPipelineShape(options.parallel);
  if (shape.devices == 1)
    return {1, shape.microbatches, 1, order::Placement::Looped};
  return shape;
}

/// graph: the model in its simplest form, so that every later pass sees few ops in one form each.
/// Strategies and stages that stand on ops are written down first, by name, since their ops may not
/// last.
static void addGraph(OpPassManager &passes, const PipelineOptions &options) {
  if (isCut(options))
    passes.addPass(pipeline::createCollectMarks());
  if (!options.obeysMarks)
    passes.addPass(strategy::createStrategyEraseMarks());
  else if (obeysPins(options.parallel.parallel_mode()))
    passes.addPass(strategy::createStrategyCollectPins());
  addCleanUp(passes);
  addRaising(passes);
  // After raising, for pieces are called by their places in an attention.
  passes.addPass(graph::createGraphSplitFusedProducts());
  addCleanUp(passes);
}

/// The stages that the user gives, or where there are none those that are found.
static void addStageMarks(OpPassManager &passes, const PipelineOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  order::PipelineShape shape = getPipelineShape(config);
  if (shape.devices == 1)
    return;
  passes.addPass(pipeline::createApplyStagePins({shape.devices, shape.chunks}));
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
  if (options.cluster)
    find.cluster = machine::toText(*options.cluster);
  find.loss = options.training.loss;
  find.optimizer = options.training.optimizer;
  passes.addPass(plan::createPlanFindStages(find, options.observeNoStages));
}

/// What is computed again where a limit of memory asks for it.
static void addRecomputeMarks(OpPassManager &passes, const PipelineOptions &options) {
  if (!options.recomputes() && !options.observeParts)
    return;
  plan::PlanMarkRecomputedOptions mark;
  llvm::append_range(mark.parts, options.recomputedParts);
  mark.deviceNum = options.parallel.device_num();
  mark.isAlone = getPipelineShape(options.parallel).devices == 1;
  if (options.cluster)
    mark.cluster = machine::toText(*options.cluster);
  passes.addPass(plan::createPlanMarkRecomputed(mark, options.observeParts));
}

/// A chunk for each op, and transfers where values go from one to another.
static void addTransfers(OpPassManager &passes, const PipelineOptions &options) {
  if (!isCut(options))
    return;
  order::PipelineShape shape = getCutShape(options);
  passes.addPass(pipeline::createAssignStages({shape.devices, shape.chunks, shape.placement}));
  passes.addPass(pipeline::createInsertTransfers());
}

/// grad: the training step. The batch is cut first, because derivatives are those of one
/// microbatch: a loss that is a mean is a mean over its microbatch. After this stage no op changes
/// its meaning. Transfers come between loss and derivatives: gradients go back as values come.
static void addGrad(OpPassManager &passes, const PipelineOptions &options) {
  if (!options.trains()) {
    addStageMarks(passes, options);
    if (!options.evaluatedLoss.empty())
      passes.addPass(autodiff::createAttachLoss({options.evaluatedLoss, /*labelsOnly=*/true}));
    passes.addPass(graph::createGraphRecordInputRanges());
    return addTransfers(passes, options);
  }
  passes.addPass(autodiff::createCheckParameters());
  int64_t slots = options.training.microBatches * options.training.copies;
  if (slots > 1)
    passes.addNestedPass<func::FuncOp>(graph::createGraphSplitBatch({slots}));
  addStageMarks(passes, options);
  addRecomputeMarks(passes, options);
  autodiff::addLossPasses(passes, options.training);
  passes.addPass(graph::createGraphRecordInputRanges());
  addTransfers(passes, options);
  autodiff::addGradientPasses(passes, options.training);
  addCleanUp(passes);
}

/// The optimizer follows the mode: it is sharded over the ranks to which the mode gave the same.
static void addOptimizerSharding(OpPassManager &passes, const PipelineOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  if (!options.trains())
    return;
  if (config.enable_parallel_optimizer())
    passes.addPass(strategy::createStrategyShardOptimizer(
        {config.parallel_optimizer_level(), config.parallel_optimizer_threshold()}));
  passes.addPass(strategy::createStrategyReportBytes());
}

/// Propagation is what SEMI_AUTO does with the pins that there are; the others search: recursive
/// programming cuts first, without prices, then what is next to its cuts under the cost model.
static std::unique_ptr<Pass> makeSearch(const PipelineOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  switch (config.auto_parallel_search_mode()) {
  case abi::SHARDING_PROPAGATION:
    return makeSemiAuto(options);
  case abi::RECURSIVE_PROGRAMMING:
    return makeRecursiveCuts(options);
  default:
    return config.cost_model() == abi::MODEL_MEMORY ? makeMemorySearch(options)
                                                    : makeRooflineSearch(options);
  }
}

/// strategy: a sharding on every value. Only annotates; nothing runs between it and partition, so
/// that what it decided about is what partition finds.
static void addStrategy(OpPassManager &passes, const PipelineOptions &options) {
  switch (options.parallel.parallel_mode()) {
  case abi::DATA_PARALLEL:
  case abi::HYBRID_PARALLEL:
    passes.addPass(makeDataParallel(options));
    passes.addPass(strategy::createStrategyKeepLayerwise());
    break;
  case abi::SEMI_AUTO_PARALLEL:
    passes.addPass(makeSemiAuto(options));
    break;
  case abi::AUTO_PARALLEL:
    passes.addPass(makeSearch(options));
    break;
  default:
    return;
  }
  order::PipelineShape shape = getPipelineShape(options.parallel);
  if (shape.devices > 1 && options.cluster)
    passes.addPass(strategy::createStrategySliceTransfers({machine::toText(*options.cluster)}));
  addOptimizerSharding(passes, options);
  if (shape.devices > 1)
    passes.addPass(pipeline::createAlignCopies({shape.devices, shape.chunks, shape.placement}));
}

/// Wholes are taken apart, but for attention, which has records of its own.
static void addPieces(OpPassManager &passes, const PipelineOptions &options) {
  graph::GraphDecomposeOptions decompose;
  decompose.keep = {"attention", "attention_gradient"};
  llvm::append_range(decompose.keep, options.keptWhole);
  passes.addPass(graph::createGraphDecompose(decompose));
  addCleanUp(passes);
}

/// spmd: obeys the shardings. Wholes are partitioned as wholes, since one rule for the whole is
/// better than those of its pieces; only then are they taken apart, with several pipeline stages
/// behind the cut. After this stage no shape is global.
static void addSpmd(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(partition::createInsertReshards());
  partition::ReshardsToCollectivesOptions reshards;
  if (options.cluster)
    reshards.cluster = machine::toText(*options.cluster);
  passes.addPass(partition::createReshardsToCollectives(reshards));
  passes.addPass(partition::createLocalise());
  if (options.trains() && options.parallel.parameter_broadcast())
    passes.addPass(partition::createBroadcastParameters());
  passes.addPass(partition::createDecomposeExchanges());
  if (!isCut(options))
    addPieces(passes, options);
}

/// stages: a program for each pipeline stage. Wholes are taken apart behind the cut: what passes
/// between sections is what derivatives save, and none of the pieces that both sides compute.
/// Copies of a microbatch come together last, for until then they are all alike; chunks are of
/// products as they then are. After this stage no collective is added.
static void addStages(OpPassManager &passes, const PipelineOptions &options) {
  order::PipelineShape shape = getCutShape(options);
  if (isCut(options)) {
    passes.addPass(pipeline::createApplyRecomputePins());
    passes.addPass(
        pipeline::createCutStages({shape.devices, shape.chunks, shape.placement,
                                   shape.devices > 1 && splitsBackward(options.parallel)}));
    addPieces(passes, options);
  }
  if (options.training.copies > 1) {
    passes.addPass(pipeline::createInterleaveCopies());
    addCleanUp(passes);
  }
  if (options.productChunks > 1)
    passes.addPass(partition::createChunkProducts(
        {options.productChunks,
         options.cluster ? machine::toText(*options.cluster) : std::string()}));
}

/// schedule, of all pipeline stages together: when each works on which microbatch, and by that
/// order how many messages may be under way between them. Stages that a file has cut keep its
/// order.
static void addOrder(OpPassManager &passes, const PipelineOptions &options) {
  if (isCut(options)) {
    schedule::OrderSlotsOptions order;
    if (getCutShape(options).devices > 1)
      order.schedule = getScheduleName(options.parallel);
    passes.addPass(schedule::createOrderSlots(order, makeStagePricer(options)));
  }
  passes.addPass(schedule::createSizeMessages());
}

/// Which collectives share a message.
static void addFusion(OpPassManager &passes, const PipelineOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  schedule::FuseCollectivesOptions fuse;
  fuse.commFusion = config.comm_fusion();
  fuse.allReduceConfig = config.all_reduce_fusion_config();
  fuse.byReference = config.size_rule() == abi::SIZE_RULE_REFERENCE;
  fuse.limit = config.fusion_limit();
  fuse.hides = options.hidesReductions;
  if (options.cluster)
    fuse.cluster = machine::toText(*options.cluster);
  passes.addPass(schedule::createFuseCollectives(fuse, options.observeFusion));
}

/// In which order the kernels of each section run, those of the update among them that may run
/// early.
static void addKernelOrder(OpPassManager &passes, const PipelineOptions &options) {
  if (options.hidesReductions)
    passes.addPass(schedule::createOverlapReductions());
  if (options.parallel.device_num() > 1)
    passes.addPass(schedule::createOrderKernels(
        {options.cluster ? machine::toText(*options.cluster) : std::string(),
         options.parallel.memory_limit()}));
}

/// schedule, of each program: which ops run together, in which order, and where values lie. What
/// the records of a GPU's products do besides comes behind all that rewrites ops, which would lose
/// the marks, but for the cutting of long sums, which then leaves those that records take. Kernels
/// are made of what is marked, and of the sums as they are cut. Their order says when gradients are
/// complete, by which collectives share messages; what they delay is put in order again. Memory
/// comes last, for it needs the order; whether it holds what kernels read there is checked here,
/// where values still have names. After this stage no buffer moves.
static void addSchedule(OpPassManager &passes, const PipelineOptions &options) {
  bool isGpu = !options.gpuChip.empty();
  passes.addPass(lower::createPrepareKernels(
      {.multipliesHalf = isGpu, .multipliesBFloat16 = isGpu || lower::hostMultipliesBFloat16()}));
  addCleanUp(passes);
  if (!options.gpuChip.empty()) {
    passes.addPass(schedule::createFuseEpilogues());
    passes.addPass(lower::createSplitReductions());
  }
  passes.addPass(schedule::createFuseHeadTransposes());
  passes.addNestedPass<func::FuncOp>(schedule::createAssignKernels());
  passes.addNestedPass<func::FuncOp>(schedule::createRecomputePointwise());
  addKernelOrder(passes, options);
  if (options.parallel.device_num() > 1) {
    addFusion(passes, options);
    addKernelOrder(passes, options);
  }
  passes.addPass(schedule::createPlanMemory());
  passes.addPass(schedule::createVerifyMemory());
}

/// task: the annotations become records, and each kernel a function of core ops.
static void addTask(OpPassManager &passes, const PipelineOptions &) {
  passes.addPass(lower::createLowerToTask());
}

/// llvm: the kernels of all stages as loops, in the llvm dialect; of a GPU as what one of its
/// threads does, in a module of their own. LLVM itself, the linker and the assembler come behind
/// the road.
static void addLlvm(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(lower::createShareKernels());
  if (options.gpuChip.empty())
    return passes.addPass(lower::createEmitKernels());
  passes.addPass(lower::createEmitGpuKernels({options.gpuChip, options.roundsToTf32}));
  if (options.gpuChip == lower::emulatorChip)
    return passes.addPass(lower::createEmulateGpuKernels());
  passes.addNestedPass<gpu::GPUModuleOp>(lower::createConvertGpuKernels());
}

namespace {
struct StageRow {
  Stage stage;
  const char *name;
  /// For the module, and for each program in it (pipeline stages have one each); null for none.
  void (*add)(OpPassManager &passes, const PipelineOptions &options);
  void (*addOfPrograms)(OpPassManager &passes, const PipelineOptions &options) = nullptr;
};
} // namespace

static constexpr StageRow road[] = {
    {Stage::Graph, "graph", addGraph},
    {Stage::Grad, "grad", addGrad},
    {Stage::Strategy, "strategy", addStrategy},
    {Stage::Spmd, "spmd", addSpmd},
    {Stage::Stages, "stages", addStages},
    {Stage::Schedule, "schedule", addOrder, addSchedule},
    {Stage::Task, "task", nullptr, addTask},
    {Stage::Llvm, "llvm", addLlvm},
};

llvm::StringRef pcc::stringify(Stage stage) { return road[static_cast<int>(stage)].name; }

std::optional<Stage> pcc::parseStage(llvm::StringRef name) {
  for (const StageRow &row : road)
    if (name.equals_insensitive(row.name))
      return row.stage;
  return std::nullopt;
}

void pcc::addStage(OpPassManager &passes, Stage stage, const PipelineOptions &options, bool isCut) {
  const StageRow &row = road[static_cast<int>(stage)];
  if (row.add)
    row.add(passes, options);
  if (row.addOfPrograms)
    row.addOfPrograms(isCut ? passes.nest<ModuleOp>() : passes, options);
  passes.addPass(createVerifyStagePass(stage));
}

LogicalResult pcc::runPipeline(ModuleOp module, const PipelineOptions &options, Stage last) {
  if (failed(checkOptions(module, options)))
    return failure();
  const abi::ParallelConfig &config = options.parallel;
  abi::StrategyFingerprint fingerprint;
  if (!config.strategy_ckpt_load_file().empty() || !config.strategy_ckpt_save_file().empty())
    fingerprint = makeFingerprint(module, options); // before anything changes the model
  if (!config.strategy_ckpt_load_file().empty() &&
      failed(loadStrategy(module, options, fingerprint)))
    return failure();
  for (const StageRow &row : road) {
    PassManager passes(module.getContext());
    if (options.configure && failed(options.configure(passes)))
      return failure();
    addStage(passes, row.stage, options, countStages(module) > 0);
    if (failed(passes.run(module)))
      return failure();
    if (row.stage == Stage::Strategy && !config.strategy_ckpt_save_file().empty() &&
        failed(saveStrategy(module, options, fingerprint)))
      return failure();
    if (options.observe && failed(options.observe(row.stage, module)))
      return failure();
    if (row.stage == last)
      break;
  }
  return success();
}
