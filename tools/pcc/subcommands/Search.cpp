// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc search: finds the best plan of a model, or the best choice of options of a problem, with a
// bound that proves its quality.

#include "compiler/StrategyPasses.h"
#include "compiler/plan/cost/StepCost.h"
#include "compiler/search/PipelineSearch.h"
#include "passes/solve/strategy/Conflict.h"
#include "passes/solve/strategy/Solve.h"
#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/problem/ProblemFile.h"
#include "passes/solve/strategy/problem/Tasks.h"
#include "tools/pcc/flags/OldName.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/report/SearchReports.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
using namespace pcc::solve;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

/// Formats `'a', 'b' and 3 more`.
std::string list(const StrategyProblem &problem, llvm::ArrayRef<int> nodes) {
  constexpr size_t maxShown = 8;
  std::string text;
  for (int node : nodes.take_front(maxShown))
    text += (text.empty() ? "" : ", ") + problem.describe(node);
  return nodes.size() <= maxShown
             ? text
             : text + " and " + std::to_string(nodes.size() - maxShown) + " more";
}

/// Describes the peak: `usage peaks at time 30: at least 70, limit 50; largest: 'a', 'b'`.
std::string tightest(const StrategyProblem &problem) {
  UsagePeak peak = findUsagePeak(problem);
  std::string text = "usage peaks at time " + std::to_string(peak.time) + ": at least " +
                     toString(peak.use) + ", limit " + std::to_string(problem.usageLimit);
  return peak.largest.empty() ? text : text + "; largest: " + list(problem, peak.largest);
}

/// Describes the peak if its use alone exceeds the limit, else the nodes whose options conflict.
std::string explainConflict(const StrategyProblem &problem) {
  if (findUsagePeak(problem).use > problem.usageLimit)
    return tightest(problem);
  constexpr double seconds = 10;
  NodeConflict conflict = findNodeConflict(problem, seconds);
  if (conflict.nodes.empty())
    return tightest(problem);
  std::string text = "the options of " + list(problem, conflict.nodes) + " conflict";
  return conflict.needsLimit
             ? text + " within the usage limit " + std::to_string(problem.usageLimit)
             : text;
}

class SearchSubcommand : public ModelSubcommand {
public:
  SearchSubcommand()
      : ModelSubcommand(
            "search",
            "finds the best plan of a model, or the best options of a problem, with a bound"),
        threads("threads", cl::desc("number of search threads (default: 2)"),
                cl::init(CompileOptions().searchThreads), cl::sub(command)),
        seed("seed", cl::desc("random seed (default: 1)"),
             cl::init(int(CompileOptions().searchSeed)), cl::sub(command)),
        gap("gap",
            cl::desc(
                "proved relative gap at which the search ends; 0.01: one percent (default: 0)"),
            cl::init(CompileOptions().searchGap), cl::sub(command)),
        output("o",
               cl::desc("output file: the strategy file of the plan, or the solution of a problem"),
               cl::value_desc("file"), cl::sub(command)),
        longOutput("output", cl::desc("same as -o"), cl::aliasopt(output)),
        certificate("certificate",
                    cl::desc("file of the bound's certificate: written, or read with --check"),
                    cl::value_desc("file"), cl::sub(command)),
        solution("check", cl::desc("solution to verify, with the bound of --certificate"),
                 cl::value_desc("solution"), cl::sub(command)),
        initial("initial", cl::desc("initial solution of the search"), cl::value_desc("solution"),
                cl::sub(command)),
        constraintTimeLimit(
            "constraint-time-limit",
            cl::desc(
                "time limit of the cost of each constraint in seconds (default: 10; 0: no costs)"),
            cl::init(10), cl::sub(command)),
        pinTimeLimit("pin-time-limit", constraintTimeLimit),
        pipelines(
            "pipelines",
            cl::desc("also choose the numbers of pipeline stages, microbatches and virtual stages, "
                     "and the schedule, by estimates; flags that are given stay fixed ('pcc plan' "
                     "compares compiled programs)"),
            cl::sub(command)),
        maxMicrobatches(
            "max-micro-batches",
            cl::desc(
                "largest number of microbatches for '--pipelines' (default: 0, eight per stage)"),
            cl::init(0), cl::sub(command)),
        oldMaxMicrobatches("most-micro-batches", maxMicrobatches),
        maxVirtualStages(
            "max-virtual-stages",
            cl::desc("largest number of virtual stages for '--pipelines' (default: 4)"),
            cl::init(plan::PipelineLimits().chunks), cl::sub(command)),
        oldMaxVirtualStages("most-virtual-stages", maxVirtualStages),
        quiet("quiet", cl::desc("print no progress"), cl::sub(command)), format(command) {}

  ExitCode runModel() override {
    if (threads < 1)
      return fail(BadUsage, "'--threads': expected at least 1");
    if (!(gap >= 0 && gap <= 1))
      return fail(BadUsage, llvm::formatv("'--gap': expected 0 to 1, got {0}", gap.getValue()));
    if (constraintTimeLimit < 0)
      return fail(BadUsage, "'--constraint-time-limit': expected at least 0");
    if (maxMicrobatches < 0)
      return fail(BadUsage, llvm::formatv("'--max-micro-batches': expected 0 or more, got {0}",
                                          int64_t(maxMicrobatches)));
    if (maxVirtualStages < 1)
      return fail(BadUsage, llvm::formatv("'--max-virtual-stages': expected 1 or more, got {0}",
                                          int(maxVirtualStages)));
    if (!pipelines && (maxMicrobatches.getNumOccurrences() || maxVirtualStages.getNumOccurrences()))
      return fail(BadUsage, "'--max-micro-batches' and '--max-virtual-stages': expected together "
                            "with '--pipelines'");
    CompileOptions modelOptions;
    if (ExitCode code = this->compileFlags.read(modelOptions))
      return code;
    modelOptions.isForCluster = true;
    llvm::StringRef path = this->compileFlags.getModel().path();
    bool isModel = llvm::any_of(llvm::ArrayRef<const char *>{".onnx", ".mlir", ".mlirbc"},
                                [&](const char *suffix) { return path.ends_with(suffix); });
    return isModel ? searchModel(std::move(modelOptions))
                   : searchProblem(path.str(), modelOptions.parallel);
  }

private:
  /// Rejects flags of models: a problem knows neither devices nor a training step.
  ExitCode refuseModelFlags(const abi::ParallelConfig &config) const {
    llvm::StringRef option = compileFlags.findGiven({"time_limit", "auto_parallel_search_mode"});
    if (option.empty() && constraintTimeLimit.getNumOccurrences())
      option = constraintTimeLimit.ArgStr;
    if (!option.empty())
      return compileFlags.refuse(option, "expected a model, got a problem");
    if (compileFlags.has("auto_parallel_search_mode") &&
        config.auto_parallel_search_mode() != abi::DYNAMIC_PROGRAMMING &&
        config.auto_parallel_search_mode() != abi::BEST)
      return fail(BadUsage, "'--auto-parallel-search-mode': expected best or dynamic_programming "
                            "with a problem");
    return Success;
  }

  /// Compiles up to the plan, reports it and writes it as a strategy file. Under the cost model
  /// `roofline`, goes on to the program of a rank and reports its cost, too.
  ExitCode searchModel(CompileOptions options) {
    if (certificate.getNumOccurrences() || solution.getNumOccurrences() ||
        initial.getNumOccurrences())
      return fail(BadUsage, "expected a problem with '--certificate', '--check' or '--initial', "
                            "got a model");
    options.parallel.set_parallel_mode(abi::AUTO_PARALLEL);
    compileFlags.useWholeCluster(options);
    options.parallel.set_strategy_ckpt_save_file(output);
    options.searchSeed = seed;
    options.searchThreads = threads;
    options.searchGap = gap;
    options.constraintTimeLimit = constraintTimeLimit;
    if (pipelines)
      return searchPipelines(std::move(options));
    options.keptComposites = {"dropout"}; // as for `pcc explain --cost`
    Session session;
    SearchTables tables;
    std::optional<SearchReport> report;
    options.observe = [&](CompilePhase phase, mlir::ModuleOp) {
      if (phase == CompilePhase::Strategy && !tables.meshes.empty())
        report.emplace(tables.meshes);
      return mlir::success();
    };
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        compileFlags.compile(session, options, getLastPhase(options.parallel), code, &tables);
    if (!module)
      return code;
    if (tables.memory)
      return tell(MemoryReport(*tables.memory));
    if (report) {
      plan::CostOptions allExposed;
      allExposed.hidesReductions = false;
      report->setProgramCost(plan::estimateStepCost(*module, tables.cluster, allExposed).sum());
      return tell(*report);
    }
    return fail(BadUsage, "'--auto-parallel-search-mode': expected dynamic_programming, best or "
                          "recursive_programming, which report a cost");
  }

  /// A plan under the cost model `roofline` is compared with its program.
  static CompilePhase getLastPhase(const abi::ParallelConfig &config) {
    return config.cost_model() == abi::MODEL_MEMORY ? CompilePhase::Strategy : CompilePhase::Spmd;
  }

  /// Searches for the best pipeline and writes its strategy file.
  ExitCode searchPipelines(CompileOptions options) {
    if (!options.cluster)
      return fail(BadUsage, "'--pipelines': expected a machine by '--cluster', got none");
    if (!options.trains())
      return fail(BadUsage,
                  "'--pipelines': expected a training step by '--loss' and '--optimizer'");
    options.parallel.clear_strategy_ckpt_save_file();
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> model = compileFlags.getModel().load(session.context, code);
    if (!model)
      return code;
    search::FixedPipeline fixed{
        compileFlags.has("pipeline_stages"), compileFlags.has("micro_batches"),
        compileFlags.has("virtual_stages"), compileFlags.has("pipeline_schedule")};
    search::PipelineSearch search(*model, std::move(options), fixed,
                                  {maxMicrobatches, maxVirtualStages});
    if (mlir::failed(search.run()))
      return BadInput;
    llvm::ArrayRef<plan::PipelineCandidate> candidates = search.getCandidates();
    if (candidates.empty())
      return fail(BadUsage, "no pipeline matches the flags; drop or change '--pipeline-stages', "
                            "'--micro-batches', '--virtual-stages' or '--pipeline-schedule'");
    tell(PipelineReport(candidates));
    if (!candidates.front().error.empty())
      return search.isInfeasible() ? Infeasible : BadInput;
    return output.getNumOccurrences() || compileFlags.savesOnnx() ? writeStrategy(search.getBest())
                                                                  : Success;
  }

  /// Compiles up to the plan and writes it as a strategy file.
  ExitCode writeStrategy(CompileOptions options) {
    options.parallel.set_strategy_ckpt_save_file(output);
    Session session;
    ExitCode code;
    return compileFlags.compile(session, options, CompilePhase::Strategy, code) ? Success : code;
  }

  template <typename Report> ExitCode tell(const Report &report) const {
    if (format.isJson())
      printJson(report.toJson());
    else
      report.print();
    return Success;
  }

  ExitCode searchProblem(const std::string &path, const abi::ParallelConfig &config) {
    if (ExitCode code = refuseModelFlags(config))
      return code;
    Stopwatch clock;
    abi::Expected<StrategyProblem> problem = readProblem(path);
    if (!problem)
      return fail(BadInput, problem.status().message());
    if (solution.getNumOccurrences())
      return check(*problem);
    SolveOptions options;
    options.seconds = config.time_limit();
    options.elapsed = clock.seconds();
    options.threads = threads;
    options.seed = seed;
    options.gap = gap;
    if (!quiet)
      options.progress = printProgress;
    if (ExitCode code = readInitial(options))
      return code;
    bool isExact = compileFlags.has("auto_parallel_search_mode") &&
                   config.auto_parallel_search_mode() == abi::DYNAMIC_PROGRAMMING;
    return write(*problem, isExact ? solveByDynamicProgramming(*problem, options)
                                   : solveBest(*problem, options));
  }

  static abi::Expected<StrategySolution> readSolution(const std::string &path) {
    abi::Expected<std::string> text = readMaybeGzip(path);
    if (!text)
      return text.status();
    abi::Expected<StrategySolution> read = parseSolution(*text);
    if (!read)
      return read.status().within(path);
    return read;
  }

  ExitCode readInitial(SolveOptions &options) {
    if (!initial.getNumOccurrences())
      return Success;
    abi::Expected<StrategySolution> read = readSolution(initial);
    if (!read)
      return fail(BadInput, read.status().message());
    options.initial = *read;
    return Success;
  }

  static void printProgress(const SearchProgress &progress) {
    llvm::errs() << llvm::formatv("{0,7:f1} s  cost {1}  bound {2}  gap {3:f4} %\n",
                                  progress.seconds,
                                  progress.cost ? toString(*progress.cost) : "none",
                                  toString(progress.bound), 100 * progress.gap);
  }

  ExitCode write(const StrategyProblem &problem, const SolveResult &result) {
    if (result.status == SolveStatus::Infeasible)
      return fail(Infeasible, "no choice of options fits: " + explainConflict(problem));
    if (!result.hasSolution())
      return fail(RunFailed, result.reason + "; " + tightest(problem));
    if (output.getNumOccurrences())
      if (ExitCode code = writeResult(
              output, [&](llvm::raw_ostream &out) { out << printSolution(result.solution); }))
        return code;
    if (certificate.getNumOccurrences()) {
      if (!result.certificate)
        return fail(BadUsage, "expected '--auto-parallel-search-mode=best' with '--certificate'");
      if (abi::Status status = writeMaybeGzip(certificate, printCertificate(*result.certificate));
          !status.ok())
        return fail(BadInput, status.message());
    }
    print(result);
    return Success;
  }

  /// Converts to a JSON number if 64 bits hold it, else to a string.
  static json::Value toJson(Int128 value) {
    if (value <= std::numeric_limits<int64_t>::max())
      return static_cast<int64_t>(value);
    return toString(value);
  }

  void print(const SolveResult &result) {
    double gap = result.cost > 0 ? double(result.cost - result.bound) / double(result.cost) : 0;
    if (format.isJson()) {
      printJson(json::Object{{"status", stringify(result.status)},
                             {"cost", toJson(result.cost)},
                             {"bound", toJson(result.bound)},
                             {"gap", gap},
                             {"seconds", result.statistics.seconds},
                             {"nodes", int64_t(result.statistics.nodes)},
                             {"edges", int64_t(result.statistics.edges)},
                             {"segments", int64_t(result.statistics.segments)},
                             {"work", int64_t(result.statistics.work)},
                             {"cut_off", result.statistics.isCutOff},
                             {"solution", json::Array(llvm::ArrayRef<int32_t>(result.solution))},
                             {"reason", result.reason}});
      return;
    }
    llvm::outs() << llvm::formatv("{0}: cost {1}, bound {2}, gap {3:f4} %, {4:f2} s\n",
                                  stringify(result.status), toString(result.cost),
                                  toString(result.bound), 100 * gap, result.statistics.seconds);
    if (!result.reason.empty())
      llvm::outs() << "note: " << result.reason << "\n";
    llvm::outs().flush();
  }

  ExitCode check(const StrategyProblem &problem) {
    abi::Expected<StrategySolution> read = readSolution(solution);
    if (!read)
      return fail(BadInput, read.status().message());
    Verdict verdict = verify(problem, *read);
    if (!verdict.ok())
      return fail(Mismatch, solution + ": " + verdict.error);
    llvm::outs() << "cost " << toString(verdict.cost) << "\n";
    if (!certificate.getNumOccurrences())
      return Success;
    abi::Expected<std::string> text = readMaybeGzip(certificate);
    if (!text)
      return fail(BadInput, text.status().message());
    abi::Expected<Certificate> proof = parseCertificate(*text);
    if (!proof)
      return fail(BadInput, certificate + ": " + proof.status().message());
    CheckResult checked = checkCertificate(problem, *proof, verdict.cost);
    if (!checked.ok())
      return fail(Mismatch, certificate + ": " + checked.error);
    llvm::outs() << "bound " << toString(checked.bound) << "\n";
    return Success;
  }

  cl::opt<int> threads, seed;
  cl::opt<double> gap;
  cl::opt<std::string> output;
  cl::alias longOutput;
  cl::opt<std::string> certificate, solution, initial;
  cl::opt<double> constraintTimeLimit;
  OldName pinTimeLimit;
  cl::opt<bool> pipelines;
  cl::opt<int64_t> maxMicrobatches;
  OldName oldMaxMicrobatches;
  cl::opt<int> maxVirtualStages;
  OldName oldMaxVirtualStages;
  cl::opt<bool> quiet;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeSearchSubcommand() {
  return std::make_unique<SearchSubcommand>();
}
