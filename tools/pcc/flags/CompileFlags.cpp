// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/flags/CompileFlags.h"

#include "compiler/PipelineShape.h"
#include "compiler/link/Link.h"
#include "compiler/plan/MeshChoice.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/Timing.h"
#include "passes/autodiff/Losses.h"
#include "passes/lower/gpu/CompilePtx.h"
#include "passes/schedule/collectives/CommFusion.h"
#include "runtime/abi/Executable.h"
#include "runtime/abi/RankExpression.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/search/CopySearch.h"
#include "tools/pcc/search/RecomputeSearch.h"
#include "tools/pcc/search/SimulatedProgram.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

static constexpr int64_t maxChunks = 64;

CompileFlags::CompileFlags(cl::SubCommand &command, ModelUse use)
    : model(command, use), parallel(command), cluster(command),
      loss("loss", cl::desc("loss to train with, or to evaluate if there is no optimizer"),
           cl::value_desc("kind[:prediction[,labels]]"), cl::sub(command)),
      optimizer("optimizer", cl::desc("optimizer that updates the parameters"),
                cl::value_desc("kind[,option=value...]"), cl::sub(command)),
      target("target", cl::desc("device that runs the program (default: host)"),
             cl::value_desc("host|cuda:sm_NN"), cl::init("host"), cl::sub(command)),
      roundsToTf32("tf32",
                   cl::desc("on a GPU, let f32 matmuls, convolutions and attention round their "
                            "factors to TF32's 10 bits"),
                   cl::sub(command)),
      dumpIr("dump-ir",
             cl::desc("folder for the IR after every phase; with ',dot' also for graphs"),
             cl::value_desc("folder[,dot]"), cl::CommaSeparated, cl::sub(command)),
      remarks("remarks", cl::desc("print remarks on the decisions of passes"), cl::sub(command)),
      freezeBatchNorm("freeze-batch-norm",
                      cl::desc("train with fixed running statistics of batch norms"),
                      cl::sub(command)),
      hidesReductions(
          "hide-reductions",
          cl::desc("overlap gradient reductions with the last backward pass (default: true)"),
          cl::init(true), cl::sub(command)),
      matmulChunks("matmul-chunks",
                   cl::desc("maximum number of chunks of a matmul whose result is summed over "
                            "ranks; the cost model chooses (default: 1, no chunks)"),
                   cl::init(1), cl::sub(command)),
      productChunks("product-chunks", matmulChunks),
      stageMemory(
          "stage-memory",
          cl::desc("bytes of a device into which the search must fit pipeline stages, by its "
                   "estimate (default: 0, '--memory-limit')"),
          cl::init(0), cl::sub(command)) {}

ExitCode CompileFlags::readStep(CompileOptions &options) const {
  const abi::ParallelConfig &config = options.parallel;
  (optimizer.empty() ? options.evaluatedLoss : options.training.loss) = loss;
  options.training.optimizer = optimizer;
  options.training.microBatches = config.micro_batches();
  options.training.copies = std::max(config.interleave_num(), 1); // 0 is resolved later
  options.training.microReduction = config.micro_reduction() == abi::MICRO_MEAN
                                        ? pipe::MicroReduction::Mean
                                        : pipe::MicroReduction::Sum;
  options.training.freezeBatchNorm = freezeBatchNorm;
  options.training.wideGradients = config.gradient_fp32_sync();
  if (options.trains())
    if (llvm::Error error = autodiff::checkTrainingOptions(options.training))
      return fail(BadUsage, llvm::toString(std::move(error)));
  if (!options.evaluatedLoss.empty())
    if (auto spec = autodiff::parseLoss(options.evaluatedLoss); !spec)
      return fail(BadUsage, llvm::toString(spec.takeError()));
  return Success;
}

ExitCode CompileFlags::readOverlap(CompileOptions &options) const {
  const abi::ParallelConfig &config = options.parallel;
  options.hidesReductions = hidesReductions;
  options.matmulChunks = matmulChunks;
  if (matmulChunks < 1 || matmulChunks > maxChunks)
    return fail(BadUsage, llvm::formatv("'--matmul-chunks': expected 1 to {0}, got {1}", maxChunks,
                                        matmulChunks.getValue()));
  auto rules = schedule::parseCommFusion(config.comm_fusion(), config.all_reduce_fusion_config());
  return rules ? Success : fail(BadUsage, rules.status().message());
}

ExitCode pcc::cli::parseTarget(llvm::StringRef target, std::string &gpuChip) {
  llvm::StringRef chip = target;
  if (chip == "host")
    return Success;
  bool isGpu = chip.consume_front("cuda:");
  if (llvm::Error error = isGpu ? lower::findGpuTarget(chip).takeError() : llvm::Error::success())
    return fail(BadUsage, "'--target': " + llvm::toString(std::move(error)));
  if (!isGpu)
    return fail(BadUsage,
                "'--target': expected host or cuda:sm_90 (80, 100), got '" + target + "'");
  gpuChip = chip.str();
  return Success;
}

ExitCode CompileFlags::readTarget(CompileOptions &options) const {
  if (ExitCode code = parseTarget(target, options.gpuChip))
    return code;
  options.roundsToTf32 = roundsToTf32;
  if (roundsToTf32 && options.gpuChip.empty())
    return fail(BadUsage, "'--tf32': expected '--target=cuda:sm_90' or another GPU, "
                          "got '--target=host'");
  return Success;
}

ExitCode CompileFlags::read(CompileOptions &options) const {
  if (ExitCode code = parallel.read(options.parallel))
    return code;
  if (ExitCode code = cluster.read(options.parallel.device_num(), options.cluster))
    return code;
  if (ExitCode code = readStep(options))
    return code;
  if (ExitCode code = readOverlap(options))
    return code;
  if (ExitCode code = readTarget(options))
    return code;
  if (options.cluster && options.roundsToTf32)
    machine::roundToTf32(*options.cluster);
  if (stageMemory < 0)
    return fail(BadUsage, llvm::formatv("'--stage-memory': expected 0 or more, got {0}",
                                        int64_t(stageMemory)));
  options.stageMemory = stageMemory;
  if (dumpIr.size() > 2 || (dumpIr.size() == 2 && dumpIr[1] != "dot"))
    return fail(BadUsage, "'--dump-ir': expected FOLDER or FOLDER,dot");
  options.configure = [](mlir::PassManager &passes) {
    mlir::applyDefaultTimingPassManagerCLOptions(passes);
    return mlir::applyPassManagerCLOptions(passes);
  };
  if (ExitCode code = chooseCopyCount(options))
    return code;
  return chooseRecompute(options);
}

/// Enables printing of all kinds of remarks.
static mlir::LogicalResult showRemarks(mlir::MLIRContext &context) {
  mlir::remark::RemarkCategories categories;
  // Every kind needs its own filter; with the filter of `all` alone nothing passes.
  categories.all = categories.passed = categories.missed = categories.analysis = categories.failed =
      ".*";
  return mlir::remark::enableOptimizationRemarks(
      context, nullptr, std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

/// Lets `choose` decide by compiling the model, and emits its remark. Skips an invalid program,
/// because the compilation pipeline reports the error.
ExitCode CompileFlags::chooseByCompiling(const CompileOptions &options, Choice choose) const {
  if (!checkPipeline(options.parallel, options.trains()).empty())
    return Success;
  Session session; // a separate session: no remarks of programs that are not built
  ExitCode code;
  mlir::OwningOpRef<mlir::ModuleOp> module = model.load(session.context, code);
  if (!module)
    return code;
  Remark remark;
  if (ExitCode failed = choose(*module, remark))
    return failed;
  if (!remarks || !remark)
    return Success;
  if (mlir::failed(showRemarks(session.context)))
    return InternalError;
  remark(module->getLoc());
  return Success;
}

/// Chooses the number of copies if the user leaves it open. Otherwise compares the user's number
/// with one copy, if remarks are printed.
ExitCode CompileFlags::chooseCopyCount(CompileOptions &options) const {
  abi::ParallelConfig &config = options.parallel;
  bool isChosen = config.interleave_num() == 0;
  if (!isChosen && (config.interleave_num() == 1 || !remarks))
    return Success;
  config.set_interleave_num(int(options.training.copies));
  if (!options.trains())
    return Success;
  return chooseByCompiling(options, [&](mlir::ModuleOp module, Remark &remark) {
    CopySearch search(module, options);
    if (!isChosen) {
      remark = [one = search.evaluate(1), given = search.evaluate(options.training.copies)](
                   mlir::Location location) { remarkOneIsFaster(location, one, given); };
      return Success;
    }
    auto candidates =
        plan::estimateCopyCosts([&](int64_t copies) { return search.evaluate(copies); });
    options.training.copies =
        plan::chooseCopies(candidates, getMemoryLimit(search.getOptions())).copies;
    config.set_interleave_num(int(options.training.copies));
    remark = [candidates, copies = options.training.copies](mlir::Location location) {
      remarkChoice(location, candidates, copies);
    };
    return Success;
  });
}

/// Chooses what is recomputed if the program would exceed the memory limit. A search of shardings
/// handles the limit itself.
ExitCode CompileFlags::chooseRecompute(CompileOptions &options) const {
  const abi::ParallelConfig &config = options.parallel;
  if (config.memory_limit() == 0 || config.parallel_mode() == abi::AUTO_PARALLEL)
    return Success;
  return chooseByCompiling(options, [&](mlir::ModuleOp module, Remark &remark) {
    RecomputeSearch search(module, options);
    plan::RecomputeCandidate chosen = search.run();
    if (!chosen.error.empty())
      return Success; // the compilation pipeline reports the error
    if (!chosen.fits(search.getLimit()))
      return fail(
          Infeasible,
          llvm::formatv("'--memory-limit': expected at least {0} bytes per rank{1}, got {2}; "
                        "largest live tensors at the peak: {3}",
                        chosen.peakBytes, options.trains() ? " even with recomputation" : "",
                        search.getLimit(), chosen.atPeak));
    options.recomputedParts.assign(chosen.parts.begin(), chosen.parts.end());
    if (!chosen.parts.empty())
      remark = [baseline = search.getBaseline(), chosen](mlir::Location location) {
        remarkRecomputed(location, baseline, chosen);
      };
    return Success;
  });
}

/// Runs the compilation pipeline. Returns BadUsage for contradictory options, BadInput for a bad
/// model, and Infeasible if there is no plan.
static ExitCode compileModule(mlir::ModuleOp module, pcc::CompileOptions options,
                              pcc::CompilePhase last) {
  if (std::string error = pcc::checkPipeline(options.parallel, options.trains()); !error.empty())
    return fail(BadUsage, error);
  bool isInfeasible = false;
  options.observeSearch = [&, next = std::move(options.observeSearch)](
                              llvm::ArrayRef<pcc::plan::MeshCandidate> candidates) {
    isInfeasible = !candidates.front().outcome.isFeasible();
    if (next)
      next(candidates);
  };
  options.observeNoStages = [&] { isInfeasible = true; };
  if (mlir::succeeded(runPhases(module, options, last)))
    return Success;
  return isInfeasible ? Infeasible : BadInput;
}

std::optional<pcc::DumpPhases> CompileFlags::dump() const {
  if (dumpIr.empty())
    return std::nullopt;
  return DumpPhases(dumpIr[0], /*pictures=*/dumpIr.size() == 2);
}

mlir::OwningOpRef<mlir::ModuleOp> CompileFlags::compile(Session &session,
                                                        const CompileOptions &options,
                                                        CompilePhase last, ExitCode &code) const {
  mlir::OwningOpRef<mlir::ModuleOp> module = model.load(session.context, code);
  if (!module)
    return {};
  code = compile(*module, options, last);
  return code == Success ? std::move(module) : nullptr;
}

ExitCode CompileFlags::compile(mlir::ModuleOp module, const CompileOptions &options,
                               CompilePhase last) const {
  if (remarks && mlir::failed(showRemarks(*module.getContext())))
    return InternalError;
  std::optional<DumpPhases> files = dump();
  CompileOptions observed = options;
  observed.observe = [&](CompilePhase phase, mlir::ModuleOp current) -> mlir::LogicalResult {
    if (files && mlir::failed(files->write(phase, current)))
      return mlir::failure();
    return options.observe ? options.observe(phase, current) : mlir::success();
  };
  return compileModule(module, std::move(observed), last);
}

ExitCode CompileFlags::build(Session &session, const CompileOptions &options, bool shows,
                             abi::Executable &program) const {
  ExitCode code;
  mlir::OwningOpRef<mlir::ModuleOp> module = model.load(session.context, code);
  if (!module)
    return code;
  code = shows ? compile(*module, options, CompilePhase::Llvm)
               : compileModule(*module, options, CompilePhase::Llvm);
  if (code != Success)
    return code;
  mlir::FailureOr<abi::Executable> linked = link::linkProgram(*module);
  if (mlir::failed(linked))
    return BadInput;
  program = std::move(*linked);
  return Success;
}

ExitCode CompileFlags::buildRecords(const CompileOptions &options, abi::Executable &program) const {
  Session session;
  ExitCode code;
  mlir::OwningOpRef<mlir::ModuleOp> module = compile(session, options, CompilePhase::Task, code);
  if (!module)
    return code;
  mlir::FailureOr<abi::Executable> linked = link::linkInstructions(*module);
  if (mlir::failed(linked))
    return BadInput;
  program = std::move(*linked);
  return Success;
}

llvm::StringRef CompileFlags::givenFlag(llvm::ArrayRef<llvm::StringRef> except) const {
  const cl::Option &lossFlag = loss, &optimizerFlag = optimizer, &dumpFlag = dumpIr,
                   &tf32Flag = roundsToTf32, &remarksFlag = remarks, &freezeFlag = freezeBatchNorm,
                   &hideFlag = hidesReductions, &chunksFlag = matmulChunks,
                   &memoryFlag = stageMemory;
  for (const cl::Option *option : {&lossFlag, &optimizerFlag, &tf32Flag, &dumpFlag, &remarksFlag,
                                   &freezeFlag, &hideFlag, &chunksFlag, &memoryFlag})
    if (option->getNumOccurrences())
      return option->ArgStr;
  for (llvm::StringRef given : {model.givenFlag(), parallel.givenFlag(except), cluster.givenFlag()})
    if (!given.empty())
      return given;
  return "";
}

ExitCode CompileFlags::readProgram(abi::Executable &program,
                                   llvm::ArrayRef<llvm::StringRef> usedFlags) const {
  llvm::StringRef flag = givenFlag({"device_num"});
  if (!flag.empty() && !llvm::is_contained(usedFlags, flag))
    return fail(BadUsage, "'--" + flag + "': expected a model, got a compiled program");
  abi::ParallelConfig config;
  if (ExitCode code = parallel.read(config))
    return code;
  auto read = abi::readExecutable(model.path());
  if (!read)
    return fail(ExitCode(read.status().exitCode()), read.status().describe());
  program = std::move(*read);
  int64_t ranks = abi::rankCount(program.mesh());
  if (!parallel.has("device_num") || config.device_num() == ranks)
    return Success;
  return fail(BadUsage,
              llvm::formatv("'--device-num': expected {0}, for which '{1}' was compiled, got {2}",
                            ranks, model.path(), config.device_num()));
}

pcc::CompileOptions pcc::cli::singleRankOptions(CompileOptions options) {
  options.obeysAnnotations = options.parallel.parallel_mode() == abi::STAND_ALONE;
  options.obeysStages = false;
  options.parallel.set_device_num(1);
  options.parallel.set_pipeline_stages(1);
  options.parallel.set_virtual_stages(1);
  options.parallel.set_pipeline_schedule(abi::SCHEDULE_1F1B);
  options.parallel.clear_global_rank();
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.clear_strategy_ckpt_load_file();
  options.parallel.clear_strategy_ckpt_save_file();
  options.recomputedParts.clear();
  return options;
}
