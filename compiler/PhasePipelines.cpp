// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PhaseOptions repeats the fields of CompileOptions as MLIR pass options, so MLIR prints and parses
// them. A new field must be added to this struct, to the printer and to the parser. The parallel
// configuration is protobuf text.
#include "compiler/PhasePipelines.h"

#include "compiler/PipelineShape.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "runtime/abi/ConfigFields.h"
#include "runtime/machine/Cluster.h"
#include "llvm/Support/Error.h"
#include <google/protobuf/text_format.h>

using namespace mlir;
using namespace pcc;

namespace {

/// The fields of CompileOptions as text.
struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  template <typename T> using One = Option<T>;
  CompileOptions defaults;

  One<std::string> config{*this, "config",
                          llvm::cl::desc("message ParallelConfig of runtime/abi/config.proto")};
  One<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc("`2x8xH100`, or the message of docs/spec/machine.md as text")};
  One<std::string> loss{*this, "loss", llvm::cl::desc("loss to train with")};
  One<std::string> optimizer{*this, "optimizer", llvm::cl::desc("optimizer to train with")};
  One<std::string> frozen{*this, "freeze",
                          llvm::cl::desc("parameters not to train, a regular expression")};
  One<bool> freezeBatchNorm{*this, "freeze-batch-norm",
                            llvm::cl::desc("batch norms keep their running statistics")};
  One<std::string> lossScale{*this, "loss-scale", llvm::cl::desc("factor of the loss")};
  One<double> clipNorm{*this, "clip-norm",
                       llvm::cl::desc("limit of the norm of all gradients; 0: none"),
                       llvm::cl::init(0)};
  One<bool> skipNonfinite{*this, "skip-nonfinite",
                          llvm::cl::desc("gradients that are not finite skip the step")};
  One<std::string> precision{*this, "precision", llvm::cl::desc("half type of mixed precision")};
  ListOption<std::string> precisionConstraints{*this, "precision-constraint",
                                               llvm::cl::desc("precision of named ops")};
  One<std::string> evaluatedLoss{*this, "evaluated-loss",
                                 llvm::cl::desc("loss of a model that is not trained")};
  ListOption<std::string> keptComposites{*this, "keep",
                                         llvm::cl::desc("composites that spmd keeps")};
  One<bool> obeysAnnotations{*this, "obey-annotations",
                             llvm::cl::desc("obey mesh, constraints and shardings of the model"),
                             llvm::cl::init(defaults.obeysAnnotations)};
  One<bool> obeysStages{*this, "obey-stages", llvm::cl::desc("obey stages of the model"),
                        llvm::cl::init(defaults.obeysStages)};
  One<std::string> gpuChip{*this, "chip", llvm::cl::desc("GPU that runs the program: sm_90")};
  One<bool> isForCluster{*this, "for-cluster",
                         llvm::cl::desc("multiply the types for which the cluster has rates")};
  One<bool> roundsToTf32{*this, "tf32", llvm::cl::desc("instructions of f32 may round to TF32")};
  One<bool> hidesReductions{*this, "hide-reductions",
                            llvm::cl::desc("reduce gradients during the last backward pass"),
                            llvm::cl::init(defaults.hidesReductions)};
  One<int64_t> matmulChunks{*this, "matmul-chunks",
                            llvm::cl::desc("maximum number of chunks of a matmul"),
                            llvm::cl::init(defaults.matmulChunks)};
  One<int64_t> stageMemory{*this, "stage-memory",
                           llvm::cl::desc("bytes of a device into which stages must fit"),
                           llvm::cl::init(defaults.stageMemory)};
  ListOption<int64_t> recomputedParts{*this, "recompute",
                                      llvm::cl::desc("parts of the model to recompute")};
  One<bool> recomputesNamedOps{*this, "recompute-named",
                               llvm::cl::desc("recompute the ops that constraints name")};
  One<bool> listsRecomputeParts{
      *this, "list-recompute-parts",
      llvm::cl::desc("annotate the module with the seconds to recompute each part")};
  One<bool> recordsFusion{
      *this, "record-fusion",
      llvm::cl::desc("annotate sections with the decisions about fused collectives")};
  One<uint64_t> searchSeed{*this, "seed", llvm::cl::desc("random seed of the search"),
                           llvm::cl::init(defaults.searchSeed)};
  One<int> searchThreads{*this, "threads", llvm::cl::desc("threads of the search"),
                         llvm::cl::init(defaults.searchThreads)};
  One<double> searchGap{*this, "gap", llvm::cl::desc("gap at which the search ends"),
                        llvm::cl::init(defaults.searchGap)};
  One<double> constraintTimeLimit{*this, "constraint-time-limit",
                                  llvm::cl::desc("seconds for the cost of each constraint"),
                                  llvm::cl::init(defaults.constraintTimeLimit)};
};

} // namespace

std::vector<CompilePhase> pcc::listPhases() {
  std::vector<CompilePhase> phases;
  for (int phase = 0; phase <= int(CompilePhase::Llvm); ++phase)
    phases.push_back(CompilePhase(phase));
  return phases;
}

std::string pcc::printPipelineOptions(const CompileOptions &options) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string config;
  printer.PrintToString(options.parallel, &config);
  PhaseOptions text;
  text.config = config;
  if (options.cluster)
    text.cluster = machine::toText(*options.cluster);
  text.loss = options.training.loss;
  text.optimizer = options.training.optimizer;
  text.frozen = options.training.frozen;
  text.freezeBatchNorm = options.training.freezeBatchNorm;
  text.lossScale = options.training.lossScale;
  text.clipNorm = options.training.clipNorm.value_or(0);
  text.skipNonfinite = options.training.skipNonfinite;
  text.precision = options.precision;
  text.precisionConstraints = options.precisionConstraints;
  text.evaluatedLoss = options.evaluatedLoss;
  text.keptComposites = options.keptComposites;
  text.obeysAnnotations = options.obeysAnnotations;
  text.obeysStages = options.obeysStages;
  text.gpuChip = options.gpuChip;
  text.isForCluster = options.isForCluster;
  text.roundsToTf32 = options.roundsToTf32;
  text.hidesReductions = options.hidesReductions;
  text.matmulChunks = options.matmulChunks;
  text.stageMemory = options.stageMemory;
  if (options.recomputedParts)
    text.recomputedParts = *options.recomputedParts;
  text.recomputesNamedOps = options.recomputesNamedOps;
  text.listsRecomputeParts = options.listsRecomputeParts;
  text.recordsFusion = options.recordsFusion;
  text.searchSeed = options.searchSeed;
  text.searchThreads = options.searchThreads;
  text.searchGap = options.searchGap;
  text.constraintTimeLimit = options.constraintTimeLimit;
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  text.print(stream);
  return printed;
}

llvm::Expected<CompileOptions> pcc::parsePipelineOptions(llvm::StringRef given) {
  PhaseOptions text;
  std::string error;
  llvm::raw_string_ostream errors(error);
  if (failed(text.parseFromString(given, errors)))
    return llvm::createStringError(error);
  CompileOptions options;
  if (!google::protobuf::TextFormat::ParseFromString(text.config, &options.parallel))
    return llvm::createStringError("config: expected the message ParallelConfig as text, got \"" +
                                   text.config + "\"");
  abi::setDefaults(options.parallel, abi::listParallelFields());
  if (!text.cluster.empty()) {
    abi::Expected<abi::Cluster> cluster =
        machine::parseCluster(text.cluster, options.parallel.device_num());
    if (!cluster)
      return llvm::createStringError(cluster.status().message());
    options.cluster = std::move(*cluster);
  }
  options.training.loss = text.loss;
  options.training.optimizer = text.optimizer;
  options.training.frozen = text.frozen;
  options.training.freezeBatchNorm = text.freezeBatchNorm;
  options.training.lossScale = text.lossScale;
  if (text.clipNorm != 0)
    options.training.clipNorm = text.clipNorm;
  options.training.skipNonfinite = text.skipNonfinite;
  options.precision = text.precision;
  options.precisionConstraints.assign(text.precisionConstraints.begin(),
                                      text.precisionConstraints.end());
  options.evaluatedLoss = text.evaluatedLoss;
  if (llvm::Error error = completeTraining(options))
    return error;
  options.keptComposites.assign(text.keptComposites.begin(), text.keptComposites.end());
  options.obeysAnnotations = text.obeysAnnotations;
  options.obeysStages = text.obeysStages;
  options.gpuChip = text.gpuChip;
  options.isForCluster = text.isForCluster;
  options.roundsToTf32 = text.roundsToTf32;
  options.hidesReductions = text.hidesReductions;
  options.matmulChunks = text.matmulChunks;
  options.stageMemory = text.stageMemory;
  options.recomputedParts.emplace(text.recomputedParts.begin(), text.recomputedParts.end());
  options.recomputesNamedOps = text.recomputesNamedOps;
  options.listsRecomputeParts = text.listsRecomputeParts;
  options.recordsFusion = text.recordsFusion;
  options.searchSeed = text.searchSeed;
  options.searchThreads = text.searchThreads;
  options.searchGap = text.searchGap;
  options.constraintTimeLimit = text.constraintTimeLimit;
  return options;
}

void pcc::registerPhasePipelines() {
  for (CompilePhase phase : listPhases())
    registerPassPipeline(
        ("pcc-" + stringify(phase)).str(), ("passes of phase " + stringify(phase)).str(),
        [phase](OpPassManager &passes, StringRef text,
                function_ref<LogicalResult(const Twine &)> reportError) {
          llvm::Expected<CompileOptions> options = parsePipelineOptions(text);
          if (!options)
            return reportError(llvm::toString(options.takeError()));
          addPhase(passes, phase, *options, phase > CompilePhase::Stages && isCut(*options));
          return success();
        },
        [](function_ref<void(const mlir::detail::PassOptions &)> list) { list(PhaseOptions()); });
}
