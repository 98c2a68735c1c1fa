// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads parallel options first, since the machine and the training step depend on them. Every way
// to compile passes through compileBy: import the model, resolve open choices, then compile with an
// observer for `--dump-ir` and `--save-onnx`.
#include "tools/pcc/flags/CompileFlags.h"

#include "compiler/PipelineShape.h"
#include "compiler/import/DeviceConfigurations.h"
#include "compiler/import/WritePlan.h"
#include "compiler/plan/Passes.h"
#include "compiler/search/Choices.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/search/PlanSearch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/Timing.h"
#include "passes/lower/gpu/CompilePtx.h"
#include "passes/schedule/collectives/CommFusion.h"
#include "runtime/abi/Executable.h"
#include "runtime/abi/RankExpression.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/ConfigFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

//===--- ParallelFlags ---------------------------------------------------===//

ParallelFlags::ParallelFlags(cl::SubCommand &command)
    : file("config", cl::desc("file of options: .textproto or .json"), cl::value_desc("file"),
           cl::sub(command)),
      flags(command, abi::ParallelConfig::descriptor(), abi::listParallelFields()) {}

llvm::StringRef ParallelFlags::givenFlag(llvm::ArrayRef<llvm::StringRef> except) const {
  return file.getNumOccurrences() ? file.ArgStr : flags.givenFlag(except);
}

ExitCode ParallelFlags::read(abi::ParallelConfig &config) const {
  if (!file.empty())
    if (ExitCode code = readConfigFile(file, config))
      return code;
  if (ExitCode code = flags.read(config, file))
    return code;
  if (config.global_rank() < config.device_num())
    return Success;
  std::string error =
      llvm::formatv("expected 0 to {0}, got {1}", config.device_num() - 1, config.global_rank());
  if (flags.has("global_rank") || flags.has("device_num") || file.empty())
    return fail(BadUsage, "'--global-rank': " + error);
  return fail(BadInput, file + ": 'global_rank': " + error);
}

//===--- CompileFlags ----------------------------------------------------===//

static constexpr int64_t maxChunks = 64;

CompileFlags::CompileFlags(cl::SubCommand &command, ModelUse use)
    : model(command, use), parallel(command), cluster(command),
      loss("loss", cl::desc("loss to train with, or to evaluate if there is no optimizer"),
           cl::value_desc("kind[:prediction[,labels]]"), cl::sub(command)),
      optimizer("optimizer", cl::desc("optimizer that updates the parameters"),
                cl::value_desc("kind[,option=value...]"), cl::sub(command)),
      frozen("freeze",
             cl::desc("do not train the parameters in whose names this is found, such as "
                      "'^model\\.embed'"),
             cl::value_desc("regex"), cl::sub(command)),
      lossScale("loss-scale",
                cl::desc("factor of the loss for its gradients, which the update divides by it; "
                         "'dynamic' adapts it and skips steps whose gradients are not finite"),
                cl::value_desc("number|dynamic[:first]"), cl::sub(command)),
      clipNorm("clip-norm",
               cl::desc("limit of the norm of all gradients together; larger ones are scaled down"),
               cl::value_desc("number"), cl::sub(command)),
      precision("precision",
                cl::desc("type of contractions in mixed precision; parameters stay in f32 "
                         "(default: the model's types)"),
                cl::value_desc("bf16|f16|f32"), cl::sub(command)),
      precisionConstraints("precision-constraint",
                           cl::desc("precision of the ops in whose names this is found"),
                           cl::value_desc("regex=f32|half"), cl::sub(command)),
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
          cl::init(CompileOptions().hidesReductions), cl::sub(command)),
      matmulChunks("matmul-chunks",
                   cl::desc("maximum number of chunks of a matmul whose result is summed over "
                            "ranks; the cost model chooses (default: 1, no chunks)"),
                   cl::init(CompileOptions().matmulChunks), cl::sub(command)),
      productChunks("product-chunks", matmulChunks),
      stageMemory(
          "stage-memory",
          cl::desc("bytes of a device into which the search must fit pipeline stages, by its "
                   "estimate (default: 0, '--memory-limit')"),
          cl::init(CompileOptions().stageMemory), cl::sub(command)),
      savedOnnx("save-onnx",
                cl::desc("write the .onnx model with the plan, as shardings and pipeline stages of "
                         "its nodes"),
                cl::value_desc("file"), cl::sub(command)),
      planFile("plan",
               cl::desc("file of a plan that 'pcc plan -o' wrote, instead of parallel options"),
               cl::value_desc("file"), cl::sub(command)) {}

ExitCode CompileFlags::readPlan(abi::Plan &plan) const {
  if (planFile.empty())
    return Success;
  if (llvm::StringRef flag = parallel.givenFlag({}); !flag.empty())
    return fail(BadUsage, "'--" + flag + "': expected no parallel option beside '--plan'");
  return readConfigFile(planFile, plan);
}

ExitCode CompileFlags::readPrecision(CompileOptions &options) const {
  options.precision = precision;
  options.precisionConstraints.assign(precisionConstraints.begin(), precisionConstraints.end());
  if (!llvm::is_contained({"", "bf16", "f16", "f32"}, precision))
    return fail(BadUsage, "'--precision': expected bf16, f16 or f32, got '" + precision + "'");
  if (!precisionConstraints.empty() && (precision.empty() || precision == "f32"))
    return fail(BadUsage, "'--precision-constraint': expected '--precision=bf16' or "
                          "'--precision=f16' beside it, got none");
  return Success;
}

ExitCode CompileFlags::readStep(CompileOptions &options) const {
  if (optimizer.empty() && (!lossScale.empty() || clipNorm.getNumOccurrences() > 0))
    return fail(BadUsage, llvm::formatv("'--{0}': expected '--optimizer' beside it, got none",
                                        lossScale.empty() ? clipNorm.ArgStr : lossScale.ArgStr));
  (optimizer.empty() ? options.evaluatedLoss : options.training.loss) = loss;
  options.training.optimizer = optimizer;
  options.training.frozen = frozen;
  options.training.freezeBatchNorm = freezeBatchNorm;
  options.training.lossScale = lossScale;
  if (clipNorm.getNumOccurrences() > 0)
    options.training.clipNorm = clipNorm;
  llvm::Error error = completeTraining(options);
  return error ? fail(BadUsage, llvm::toString(std::move(error))) : Success;
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
                "'--target': expected host, cuda:sm_80, cuda:sm_90 or cuda:sm_100, got '" + target +
                    "'");
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

/// Replaces the words for dataset_strategy that MindSpore has besides lists.
static void resolveFeeding(pcc::abi::ParallelConfig &config) {
  llvm::StringRef words = llvm::StringRef(config.dataset_strategy()).trim();
  if (words != "full_batch" && words != "data_parallel")
    return;
  config.set_full_batch(words == "full_batch");
  config.clear_dataset_strategy();
}

ExitCode CompileFlags::read(CompileOptions &options) const {
  abi::Plan plan;
  if (ExitCode code = readPlan(plan))
    return code;
  if (obeysPlan())
    search::applyPlan(plan, options);
  if (ExitCode code = parallel.read(options.parallel))
    return code;
  resolveFeeding(options.parallel);
  if (ExitCode code = cluster.read(options.parallel.device_num(), options.cluster))
    return code;
  if (ExitCode code = readPrecision(options))
    return code;
  if (ExitCode code = readStep(options))
    return code;
  if (ExitCode code = readOverlap(options))
    return code;
  if (ExitCode code = readTarget(options))
    return code;
  if (options.cluster && options.roundsToTf32)
    machine::roundToTf32(*options.cluster);
  if (savesOnnx() && !llvm::StringRef(model.path()).ends_with(".onnx"))
    return fail(BadUsage, "'--save-onnx': expected a model in a file that ends in .onnx, got '" +
                              model.path() + "'");
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
  return Success;
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

std::optional<pcc::DumpPhases> CompileFlags::dump() const {
  if (dumpIr.empty())
    return std::nullopt;
  return DumpPhases(dumpIr[0], /*pictures=*/dumpIr.size() == 2);
}

mlir::OwningOpRef<mlir::ModuleOp> CompileFlags::compileBy(Compilation run, Session &session,
                                                          CompileOptions &options, ExitCode &code,
                                                          bool shows) const {
  bool saves = shows && savesOnnx();
  if (saves && options.parallel.parallel_mode() == abi::STAND_ALONE) {
    code = fail(BadUsage, "'--save-onnx': parallel mode stand_alone has no plan to save");
    return {};
  }
  mlir::OwningOpRef<mlir::ModuleOp> module =
      model.load(session.context, code, /*unsupported=*/nullptr, /*recordsNodes=*/saves);
  if (!module)
    return {};
  code = Success;
  if (std::string error = checkPipeline(options.parallel, options.trains()); !error.empty())
    code = fail(BadUsage, error);
  else if (shows && remarks && mlir::failed(showRemarks(session.context)))
    code = InternalError;
  if (code != Success)
    return {};
  if (shows && remarks)
    search::remarkSlowerCopies(*module, options);
  code = mlir::succeeded(search::resolveChoices(*module, options))
             ? compileResolved(run, *module, options, shows)
             : Infeasible;
  return code == Success ? std::move(module) : nullptr;
}

mlir::LogicalResult CompileFlags::saveOnnx(mlir::ModuleOp module,
                                           const CompileOptions &options) const {
  import::PlanFile file{model.path(), savedOnnx, model.getConfiguration().str()};
  if (file.configuration == import::noConfiguration)
    file.configuration.clear();
  mlir::FailureOr<std::string> content =
      import::encodePlan(module, file, getPipelineShape(options.parallel));
  if (mlir::failed(content))
    return mlir::failure();
  auto write = [&](llvm::raw_ostream &stream) { stream << *content; };
  return mlir::success(writeResult(savedOnnx, write) == Success);
}

ExitCode CompileFlags::compileResolved(Compilation run, mlir::ModuleOp module,
                                       const CompileOptions &options, bool shows) const {
  std::optional<DumpPhases> files = shows ? dump() : std::nullopt;
  CompileOptions observed = options;
  observed.observe = [&](CompilePhase phase, mlir::ModuleOp current) -> mlir::LogicalResult {
    if (files && mlir::failed(files->write(phase, current)))
      return mlir::failure();
    if (shows && savesOnnx() && phase == CompilePhase::Strategy &&
        mlir::failed(saveOnnx(current, options)))
      return mlir::failure();
    return options.observe ? options.observe(phase, current) : mlir::success();
  };
  if (mlir::succeeded(run(module, observed)))
    return Success;
  return module->hasAttr(plan::infeasibleAttrName) ? Infeasible : BadInput;
}

mlir::OwningOpRef<mlir::ModuleOp> CompileFlags::compile(Session &session, CompileOptions &options,
                                                        CompilePhase last, ExitCode &code,
                                                        SearchTables *tables) const {
  auto run = [&](mlir::ModuleOp module, const CompileOptions &own) {
    return runPhases(module, own, last, tables);
  };
  return compileBy(run, session, options, code);
}

ExitCode CompileFlags::buildBy(ProgramCompilation compile, CompileOptions &options,
                               abi::Executable &program, bool shows) const {
  Session session;
  auto run = [&](mlir::ModuleOp module, const CompileOptions &own) -> mlir::LogicalResult {
    mlir::FailureOr<abi::Executable> compiled = compile(module, own);
    if (mlir::succeeded(compiled))
      program = std::move(*compiled);
    return compiled;
  };
  ExitCode code;
  compileBy(run, session, options, code, shows);
  return code;
}

ExitCode CompileFlags::build(CompileOptions &options, abi::Executable &program, bool shows) const {
  return buildBy(pcc::compile, options, program, shows);
}

ExitCode CompileFlags::buildInstructions(CompileOptions &options, abi::Executable &program) const {
  return buildBy(compileInstructions, options, program, /*shows=*/true);
}

llvm::StringRef CompileFlags::givenFlag(llvm::ArrayRef<llvm::StringRef> except) const {
  const cl::Option &lossFlag = loss, &optimizerFlag = optimizer, &frozenFlag = frozen,
                   &dumpFlag = dumpIr, &tf32Flag = roundsToTf32, &remarksFlag = remarks,
                   &freezeFlag = freezeBatchNorm, &hideFlag = hidesReductions,
                   &chunksFlag = matmulChunks, &memoryFlag = stageMemory, &targetFlag = target,
                   &onnxFlag = savedOnnx, &planFlag = planFile, &scaleFlag = lossScale,
                   &clipFlag = clipNorm, &precisionFlag = precision,
                   &typesFlag = precisionConstraints;
  for (const cl::Option *option :
       {&lossFlag, &optimizerFlag, &frozenFlag, &tf32Flag, &dumpFlag, &remarksFlag, &freezeFlag,
        &hideFlag, &chunksFlag, &memoryFlag, &targetFlag, &onnxFlag, &planFlag, &scaleFlag,
        &clipFlag, &precisionFlag, &typesFlag})
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
