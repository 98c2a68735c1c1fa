// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads parallel options first, since the machine and the training step depend on them. Every way
// to compile passes through compileBy: import the model, resolve open choices, then compile with an
// observer for `--dump-ir` and `--save-onnx`.
#include "tools/pcc/flags/CompileFlags.h"

#include "compiler/PipelineShape.h"
#include "compiler/import/configurations/DeviceConfigurations.h"
#include "compiler/plan/Passes.h"
#include "compiler/search/Choices.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/search/PlanSearch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/Timing.h"
#include "passes/lower/gpu/CompilePtx.h"
#include "passes/schedule/collectives/CommFusion.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/MessageFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

static constexpr double maxChunks = 64;

static constexpr FieldInfo compileFields[] = {
    {.name = "loss",
     .help = "loss to train with, or to evaluate if there is no optimizer",
     .valueName = "kind[:prediction[,labels]]"},
    {.name = "optimizer",
     .help = "optimizer that updates the parameters",
     .valueName = "kind[,option=value...]"},
    {.name = "freeze",
     .help = "do not train the parameters in whose names this is found, such as '^model\\.embed'",
     .valueName = "regex"},
    {.name = "freeze_batch_norm", .help = "train with fixed running statistics of batch norms"},
    {.name = "loss_scale",
     .help = "factor of the loss for its gradients, which the update divides by it; 'dynamic' "
             "adapts it and skips steps whose gradients are not finite",
     .valueName = "number|dynamic[:first]"},
    {.name = "clip_norm",
     .help = "limit of the norm of all gradients together; larger ones are scaled down",
     .high = std::numeric_limits<double>::max(),
     .defaultValue = std::nullopt,
     .valueName = "number"},
    {.name = "skip_nonfinite",
     .help = "a step whose gradients are infinite or NaN changes nothing"},
    {.name = "precision",
     .help = "type of contractions in mixed precision; parameters stay in f32 (default: the "
             "model's types)",
     .valueName = "bf16|f16|f32"},
    {.name = "precision_constraint",
     .help = "precision of the ops in whose names this is found",
     .valueName = "regex=f32|half"},
    {.name = "target",
     .help = "device that runs the program (default: host)",
     .valueName = "host|cuda:sm_NN"},
    {.name = "tf32",
     .help = "on a GPU, let f32 matmuls, convolutions and attention round their factors to TF32's "
             "10 bits"},
    {.name = "hide_reductions",
     .help = "overlap gradient reductions with the last backward pass (default: true)",
     .low = 0,
     .high = 1,
     .defaultValue = 1},
    {.name = "matmul_chunks",
     .help = "maximum number of chunks of a matmul whose result is summed over ranks; the cost "
             "model chooses (default: 1, no chunks)",
     .low = 1,
     .high = maxChunks,
     .defaultValue = 1},
    {.name = "stage_memory",
     .help = "bytes of a device into which the search must fit pipeline stages, by its estimate "
             "(default: 0, '--memory-limit')",
     .high = pcc::abi::maxByteLimit},
    {.name = "plan",
     .help = "file of a plan that 'pcc plan -o' wrote, instead of parallel options",
     .valueName = "file"},
};

CompileFlags::CompileFlags(cl::SubCommand &command, ModelUse use)
    : path("config",
           cl::desc("file of options: .textproto, .yaml or .json; the first two may also stand for "
                    "MODEL"),
           cl::value_desc("file"), cl::sub(command)),
      model(command, &file),
      parallel(command, abi::ParallelConfig::descriptor(), abi::listParallelFields(), &file),
      flags(command, abi::CompileConfig::descriptor(), compileFields, &file),
      productChunks("product-chunks", flags.getFlag("matmul_chunks")), cluster(command, &file),
      use(use), dumpIr("dump-ir",
                       cl::desc("folder for the IR after every phase; with ',dot' also for graphs"),
                       cl::value_desc("folder[,dot]"), cl::CommaSeparated, cl::sub(command)),
      remarks("remarks", cl::desc("print remarks on the decisions of passes"), cl::sub(command)),
      savedOnnx("save-onnx",
                cl::desc("write the .onnx model with the plan, as shardings and pipeline stages of "
                         "its nodes"),
                cl::value_desc("file"), cl::sub(command)) {}

ExitCode CompileFlags::readConfig() {
  bool isNamedByFile = isOptionsModel(model.getArgument());
  if (isNamedByFile && !path.empty())
    return fail(BadUsage, "'--config': expected no second file of options beside '" +
                              model.getArgument() + "', got '" + path + "'");
  if (isNamedByFile || !path.empty())
    if (ExitCode code = file.read(isNamedByFile ? model.getArgument() : llvm::StringRef(path)))
      return code;
  if (ExitCode code = model.readConfig(isNamedByFile))
    return code;
  if (use == ModelUse::Required && model.path().empty())
    return fail(BadUsage, isNamedByFile
                              ? "'" + model.getArgument() + "': expected 'model', got none"
                              : llvm::Twine("expected MODEL, got none"));
  return flags.read(config);
}

ExitCode CompileFlags::readParallel(abi::ParallelConfig &options) const {
  return parallel.read(options);
}

ExitCode CompileFlags::checkGlobalRank(const abi::ParallelConfig &options) const {
  if (options.global_rank() < options.device_num())
    return Success;
  return parallel.refuse(
      "global_rank",
      llvm::formatv("expected 0 to {0}, got {1}", options.device_num() - 1, options.global_rank()));
}

ExitCode CompileFlags::readPlan(abi::Plan &plan) const {
  if (!obeysPlan())
    return Success;
  if (llvm::StringRef option = parallel.findGiven(); !option.empty())
    return parallel.refuse(option, "expected no parallel option beside '--plan'");
  return readMessageFile(config.plan(), plan);
}

ExitCode CompileFlags::readPrecision(CompileOptions &options) const {
  llvm::StringRef precision = config.precision();
  options.precision = precision.str();
  options.precisionConstraints.assign(config.precision_constraint().begin(),
                                      config.precision_constraint().end());
  if (!llvm::is_contained({"", "bf16", "f16", "f32"}, precision))
    return flags.refuse("precision", "expected bf16, f16 or f32, got '" + precision + "'");
  if (!options.precisionConstraints.empty() && (precision.empty() || precision == "f32"))
    return flags.refuse("precision_constraint", "expected '--precision=bf16' or "
                                                "'--precision=f16' beside it, got none");
  return Success;
}

ExitCode CompileFlags::readStep(CompileOptions &options) const {
  for (llvm::StringRef field : {"loss_scale", "clip_norm", "skip_nonfinite"})
    if (config.optimizer().empty() && flags.has(field))
      return flags.refuse(field, "expected '--optimizer' beside it, got none");
  (config.optimizer().empty() ? options.evaluatedLoss : options.training.loss) = config.loss();
  options.training.optimizer = config.optimizer();
  options.training.frozen = config.freeze();
  options.training.freezeBatchNorm = config.freeze_batch_norm();
  options.training.lossScale = config.loss_scale();
  if (config.has_clip_norm())
    options.training.clipNorm = config.clip_norm();
  options.training.skipNonfinite = config.skip_nonfinite();
  llvm::Error error = completeTraining(options);
  return error ? fail(BadUsage, llvm::toString(std::move(error))) : Success;
}

ExitCode CompileFlags::readOverlap(CompileOptions &options) const {
  options.hidesReductions = config.hide_reductions();
  options.matmulChunks = config.matmul_chunks();
  auto rules = schedule::parseCommFusion(options.parallel.comm_fusion(),
                                         options.parallel.all_reduce_fusion_config());
  return rules ? Success : fail(BadUsage, rules.status().message());
}

ExitCode pcc::cli::parseTarget(llvm::StringRef target, std::string &gpuChip) {
  llvm::StringRef chip = target;
  if (chip.empty() || chip == "host")
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
  if (ExitCode code = parseTarget(config.target(), options.gpuChip))
    return code;
  options.roundsToTf32 = config.tf32();
  if (options.roundsToTf32 && options.gpuChip.empty())
    return flags.refuse("tf32", "expected '--target=cuda:sm_90' or another GPU, got "
                                "'--target=host'");
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

void CompileFlags::useWholeCluster(CompileOptions &options) const {
  bool isSplit = options.parallel.parallel_mode() != abi::STAND_ALONE;
  if (options.cluster && isSplit && !has("device_num") && !obeysPlan())
    options.parallel.set_device_num(int(machine::countDevices(*options.cluster)));
}

ExitCode CompileFlags::read(CompileOptions &options) const {
  abi::Plan plan;
  if (ExitCode code = readPlan(plan))
    return code;
  if (obeysPlan())
    search::applyPlan(plan, options);
  if (ExitCode code = readParallel(options.parallel))
    return code;
  resolveFeeding(options.parallel);
  if (ExitCode code = cluster.read(options.parallel.device_num(), options.cluster))
    return code;
  useWholeCluster(options);
  if (ExitCode code = checkGlobalRank(options.parallel))
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
  options.stageMemory = config.stage_memory();
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
  import::PlanFile saved{model.path(), savedOnnx, model.getConfig().device_config()};
  if (import::isNoConfiguration(saved.configuration))
    saved.configuration.clear();
  mlir::FailureOr<std::string> content =
      import::encodePlan(module, saved, getPipelineShape(options.parallel));
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
  options.isForCluster = true;
  return buildBy(compileInstructions, options, program, /*shows=*/true);
}

llvm::StringRef CompileFlags::findGiven(llvm::ArrayRef<llvm::StringRef> except) const {
  const cl::Option &dumpFlag = dumpIr, &remarksFlag = remarks, &onnxFlag = savedOnnx;
  for (const cl::Option *option : {&dumpFlag, &remarksFlag, &onnxFlag})
    if (option->getNumOccurrences())
      return option->ArgStr;
  for (const MessageFlags *table : listTables())
    if (llvm::StringRef given = table->findGiven(except); !given.empty())
      return given;
  return "";
}

ExitCode CompileFlags::refuse(llvm::StringRef name, const llvm::Twine &message) const {
  for (const MessageFlags *table : listTables())
    if (table->has(name))
      return table->refuse(name, message);
  return fail(BadUsage, "'--" + name + "': " + message);
}

ExitCode CompileFlags::readProgram(abi::Executable &program,
                                   llvm::ArrayRef<llvm::StringRef> usedFlags) const {
  llvm::SmallVector<llvm::StringRef> fields(usedFlags);
  fields.push_back("device_num");
  if (llvm::StringRef option = findGiven(fields); !option.empty())
    return refuse(option, "expected a model, got a compiled program");
  abi::ParallelConfig options;
  if (ExitCode code = readParallel(options))
    return code;
  auto read = abi::readExecutable(model.path());
  if (!read)
    return fail(ExitCode(read.status().exitCode()), read.status().describe());
  program = std::move(*read);
  int64_t ranks = abi::rankCount(program.mesh());
  if (!parallel.has("device_num") || options.device_num() == ranks)
    return Success;
  return parallel.refuse("device_num",
                         llvm::formatv("expected {0}, for which '{1}' was compiled, got {2}", ranks,
                                       model.path(), options.device_num()));
}
