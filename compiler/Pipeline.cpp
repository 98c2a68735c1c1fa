// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Pipeline.h"

#include "compiler/VerifyStage.h"
#include "dialects/dist/Dist.h"
#include "mlir/Transforms/Passes.h"
#include "passes/autodiff/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/partition/Passes.h"
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

/// graph: the model in its simplest form, so that every later pass sees few ops in one form each.
static void addGraph(OpPassManager &passes, const PipelineOptions &) { addCleanUp(passes); }

/// grad: the training step. The batch is cut first, because derivatives are those of one
/// microbatch: a loss that is a mean is a mean over its microbatch. After this stage no op changes
/// its meaning.
static void addGrad(OpPassManager &passes, const PipelineOptions &options) {
  if (!options.trains())
    return;
  int64_t slots = options.training.microBatches * options.training.copies;
  if (slots > 1)
    passes.addNestedPass<func::FuncOp>(graph::createGraphSplitBatch({slots}));
  autodiff::addTrainingPasses(passes, options.training);
  addCleanUp(passes);
}

/// strategy: a sharding on every value. Only annotates; nothing runs between it and partition, so
/// that what it decided about is what partition finds.
static void addStrategy(OpPassManager &passes, const PipelineOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  if (config.parallel_mode() != abi::DATA_PARALLEL)
    return;
  strategy::StrategyDataParallelOptions strategy;
  strategy.deviceNum = config.device_num();
  strategy.gradientsMean = config.gradients_mean();
  strategy.fullBatch = config.full_batch();
  passes.addPass(strategy::createStrategyDataParallel(strategy));
}

/// spmd: obeys the shardings. Wholes are partitioned as wholes, since one rule for the whole is
/// better than those of its pieces; only then are they taken apart. After this stage no shape is
/// global.
static void addSpmd(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(partition::createInsertReshards());
  partition::ReshardsToCollectivesOptions reshards;
  if (options.cluster)
    reshards.cluster = machine::toText(*options.cluster);
  passes.addPass(partition::createReshardsToCollectives(reshards));
  passes.addPass(partition::createLocalise());
  passes.addPass(graph::createGraphDecompose());
  addCleanUp(passes);
}

/// schedule: which ops run together, in which order, and where values lie. Memory comes last: it
/// needs the order. After this stage no buffer moves.
static void addSchedule(OpPassManager &passes, const PipelineOptions &) {
  passes.addPass(lower::createPrepareKernels());
  addCleanUp(passes);
  passes.addNestedPass<func::FuncOp>(schedule::createAssignKernels());
  passes.addPass(schedule::createPlanMemory());
}

/// task: the annotations become records, and each kernel a function of core ops.
static void addTask(OpPassManager &passes, const PipelineOptions &) {
  passes.addPass(lower::createLowerToTask());
}

/// llvm: the kernels as loops, in the llvm dialect. LLVM itself and the linker come behind the
/// road.
static void addLlvm(OpPassManager &passes, const PipelineOptions &) {
  passes.addPass(lower::createEmitKernels());
}

namespace {
struct StageRow {
  Stage stage;
  const char *name;
  void (*add)(OpPassManager &passes, const PipelineOptions &options);
};
} // namespace

static constexpr StageRow road[] = {
    {Stage::Graph, "graph", addGraph},
    {Stage::Grad, "grad", addGrad},
    {Stage::Strategy, "strategy", addStrategy},
    {Stage::Spmd, "spmd", addSpmd},
    {Stage::Schedule, "schedule", addSchedule},
    {Stage::Task, "task", addTask},
    {Stage::Llvm, "llvm", addLlvm},
};

llvm::StringRef pcc::stringify(Stage stage) { return road[static_cast<int>(stage)].name; }

std::optional<Stage> pcc::parseStage(llvm::StringRef name) {
  for (const StageRow &row : road)
    if (name.equals_insensitive(row.name))
      return row.stage;
  return std::nullopt;
}

void pcc::addStage(OpPassManager &passes, Stage stage, const PipelineOptions &options) {
  road[static_cast<int>(stage)].add(passes, options);
  passes.addPass(createVerifyStagePass(stage));
}

/// Without a strategy a program runs on the ranks of its own mesh.
static LogicalResult checkRanks(ModuleOp module, const PipelineOptions &options) {
  if (options.parallel.parallel_mode() != abi::STAND_ALONE)
    return success();
  int64_t ranks = dist::getMesh(module).getNumRanks();
  if (options.parallel.device_num() == ranks || options.parallel.device_num() == 1)
    return success();
  return module.emitError("in parallel mode stand_alone a program runs on the ranks of its own "
                          "mesh: expected device_num ")
         << ranks << ", got " << options.parallel.device_num()
         << "; '--parallel-mode=data_parallel' splits the batch";
}

LogicalResult pcc::runPipeline(ModuleOp module, const PipelineOptions &options, Stage last) {
  if (failed(checkRanks(module, options)))
    return failure();
  for (const StageRow &row : road) {
    PassManager passes(module.getContext());
    if (options.configure && failed(options.configure(passes)))
      return failure();
    addStage(passes, row.stage, options);
    if (failed(passes.run(module)))
      return failure();
    if (options.observe && failed(options.observe(row.stage, module)))
      return failure();
    if (row.stage == last)
      break;
  }
  return success();
}
