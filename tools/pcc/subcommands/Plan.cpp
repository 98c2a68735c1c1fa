// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc plan: chooses how a training step is spread over a cluster, and explains the choice.

#include "runtime/base/Files.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/ClusterFlag.h"
#include "tools/pcc/report/SearchReports.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include <google/protobuf/text_format.h>
#include <thread>

using namespace pcc;
using namespace pcc::cli;
using pcc::search::FrontierSearch;
using pcc::search::PlanCandidate;
using pcc::search::PlanSearch;
namespace cl = llvm::cl;

namespace {

/// Time limit of the search on each machine of `--what-if`.
constexpr double secondsOfMachine = 1;

/// Options that a plan chooses.
constexpr const char *chosenFields[] = {"parallel_mode",
                                        "pipeline_stages",
                                        "virtual_stages",
                                        "pipeline_schedule",
                                        "micro_batches",
                                        "interleave_num",
                                        "cost_model",
                                        "enable_parallel_optimizer",
                                        "parallel_optimizer_level",
                                        "global_rank",
                                        "auto_parallel_search_mode",
                                        "strategy_ckpt_load_file",
                                        "strategy_reuse",
                                        "strategy_ckpt_save_file",
                                        "group_ckpt_save_file"};

class PlanSubcommand : public ModelSubcommand {
public:
  PlanSubcommand()
      : ModelSubcommand("plan", "chooses how a training step is spread over a cluster"),
        output("o",
               cl::desc("output: the plan, for '--plan'; with '--frontier' a new folder of plans"),
               cl::value_desc("file"), cl::sub(command)),
        shown("plans", cl::desc("number of plans to print (default: 10)"), cl::init(10),
              cl::sub(command)),
        frontier("frontier",
                 cl::desc("print the plans of which none needs fewer devices, memory and time, for "
                          "all divisors of the number of devices"),
                 cl::sub(command)),
        threads("threads",
                cl::desc("number of plans that are compiled at the same time (default: 0, one per "
                         "core, at most 8)"),
                cl::init(0), cl::sub(command)),
        whatIf("what-if",
               cl::desc("another machine: its best plan too, from the same search; a form or file, "
                        "memory=SIZE or levelN=RATE,LATENCY, level 0 the innermost; repeatable"),
               cl::value_desc("machine"), cl::sub(command)),
        quiet("quiet", cl::desc("print no progress"), cl::sub(command)), format(command) {}

  ExitCode runModel() override {
    CompileOptions options;
    if (ExitCode code = readOptions(options))
      return code;
    std::vector<abi::Cluster> machines;
    if (ExitCode code = readMachines(options, machines))
      return code;
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> model = compileFlags.getModel().load(session.context, code);
    if (!model)
      return code;
    search::PlanSearchOptions limits;
    limits.seconds = options.parallel.time_limit();
    limits.threads = getThreads();
    limits.progress = [this](const PlanSearch &search) { report(search); };
    return frontier ? searchFrontier(*model, std::move(options), std::move(limits))
                    : searchPlan(*model, std::move(options), std::move(limits), machines);
  }

private:
  /// Reports that there is no plan: because no shape was compiled, with the error of one, or
  /// because none fits.
  static ExitCode failWithoutPlan(llvm::StringRef failure) {
    if (!failure.empty())
      return fail(BadInput, "no plan could be compiled: " + failure);
    return fail(Infeasible, "no plan fits into the memory of a device");
  }

  ExitCode searchPlan(mlir::ModuleOp model, CompileOptions options,
                      search::PlanSearchOptions limits, llvm::ArrayRef<abi::Cluster> machines) {
    limits.keepsPrograms = !machines.empty();
    PlanSearch search(model, std::move(options), std::move(limits));
    if (mlir::failed(search.run()))
      return BadInput;
    std::vector<OtherMachine> others;
    for (auto [name, machine] : llvm::zip(whatIf, machines)) {
      search::PlanSearchOptions again;
      again.seconds = secondsOfMachine;
      again.threads = getThreads();
      others.push_back({name, std::make_unique<PlanSearch>(search, machine, std::move(again))});
      if (mlir::failed(others.back().search->run()))
        return BadInput;
    }
    if (format.isJson()) {
      printJson(plansToJson(search, others));
    } else {
      printPlans(search, shown);
      printOtherMachines(search, others);
    }
    const PlanCandidate *best = search.getBest();
    if (!best)
      return failWithoutPlan(search.getFailure());
    return output.empty() ? Success : write(output, *best, search.getDevices(), search.getMemory());
  }

  ExitCode searchFrontier(mlir::ModuleOp model, CompileOptions options,
                          search::PlanSearchOptions limits) {
    FrontierSearch search(model, std::move(options), std::move(limits));
    if (mlir::failed(search.run()))
      return BadInput;
    if (format.isJson())
      printJson(frontierToJson(search));
    else
      printFrontier(search);
    if (search.getPoints().empty())
      return failWithoutPlan(search.getFailure());
    return output.empty() ? Success : writeFrontier(search);
  }

  /// Returns the number of threads. More than 8 are not taken unasked, since each one holds the
  /// program of a plan in memory.
  int getThreads() const {
    constexpr int maxUnasked = 8;
    int cores = int(std::thread::hardware_concurrency());
    return threads > 0 ? int(threads) : std::clamp(cores, 1, maxUnasked);
  }

  ExitCode readOptions(CompileOptions &options) const {
    for (llvm::StringRef field : chosenFields)
      if (compileFlags.has(field))
        return compileFlags.refuse(field, "expected no such option, since the plan chooses it; "
                                          "'pcc simulate' and 'pcc search' obey it");
    if (compileFlags.obeysPlan())
      return fail(BadUsage, "'--plan': expected no plan, since this command makes one");
    if (frontier && shown.getNumOccurrences())
      return fail(BadUsage, "'--frontier': expected no '--plans', since it prints all plans");
    if (shown < 1)
      return fail(BadUsage, llvm::formatv("'--plans': expected 1 or more, got {0}", int(shown)));
    if (threads < 0)
      return fail(BadUsage,
                  llvm::formatv("'--threads': expected 0 or more, got {0}", int(threads)));
    if (ExitCode code = compileFlags.read(options))
      return code;
    if (!options.cluster)
      return fail(BadUsage, "expected a machine by '--cluster', got none");
    if (!options.trains())
      return fail(BadUsage, "expected a training step by '--loss' and '--optimizer', got none");
    abi::ParallelConfig &config = options.parallel;
    config.set_parallel_mode(abi::AUTO_PARALLEL);
    compileFlags.useWholeCluster(options);
    // All plans train the same: with means over the whole batch.
    for (auto [field, value] : {std::pair("gradients_mean", config.gradients_mean()),
                                std::pair("loss_repeated_mean", config.loss_repeated_mean())})
      if (compileFlags.has(field) && !value)
        return compileFlags.refuse(field, "expected 'true' or no such option, since every plan has "
                                          "the gradients of one device");
    if (!compileFlags.has("micro_reduction"))
      config.set_micro_reduction(abi::MICRO_MEAN);
    return frontier && !output.empty() ? makeNewFolder() : Success;
  }

  /// Reads the machines of `--what-if`.
  ExitCode readMachines(const CompileOptions &options, std::vector<abi::Cluster> &machines) const {
    if (frontier && !whatIf.empty())
      return fail(BadUsage, "'--what-if': expected no '--frontier', which has one machine");
    auto refuse = [](const std::string &text) { return fail(BadUsage, "'--what-if': " + text); };
    for (const std::string &text : whatIf) {
      abi::Cluster &machine = machines.emplace_back();
      if (machine::isClusterChange(text)) {
        if (options.parallel.memory_limit() > 0 && llvm::StringRef(text).starts_with("memory="))
          return refuse("expected no '--memory-limit' beside '" + text +
                        "', since it holds for every machine");
        abi::Expected<abi::Cluster> changed = machine::changeCluster(*options.cluster, text);
        if (!changed)
          return refuse(changed.status().message());
        machine = std::move(*changed);
      } else if (ExitCode code =
                     readMachine(text, options.parallel.device_num(), machine, refuse)) {
        return code;
      }
    }
    return Success;
  }

  /// Prints a line of progress, but not more often than every two seconds of a search.
  void report(const PlanSearch &search) {
    constexpr double period = 2;
    double elapsed = search.getElapsed();
    bool isNext = elapsed < reported; // the search of another number of devices
    if (quiet || (!isNext && elapsed < reported + period))
      return;
    reported = elapsed;
    printPlanProgress(search);
  }

  /// Creates the folder of the plans before the search, so that it is known to be writable.
  ExitCode makeNewFolder() const {
    abi::Status made = runtime::makeFolder(output);
    if (!made.ok())
      return fail(BadInput, made.message());
    abi::Expected<std::vector<std::string>> files = runtime::listFiles(output);
    if (files && files->empty())
      return Success;
    return fail(BadUsage, "'-o': expected an empty folder with '--frontier', got '" + output + "'");
  }

  /// Writes the plan of each row as a file.
  ExitCode writeFrontier(const FrontierSearch &search) const {
    for (auto [row, point] : llvm::enumerate(search.getPoints())) {
      std::string path = llvm::formatv("{0}/plan-{1}.textproto", output, row + 1);
      if (ExitCode code = write(path, point.candidate, point.devices, search.getMemory()))
        return code;
    }
    return Success;
  }

  static ExitCode write(llvm::StringRef path, const PlanCandidate &best, int64_t devices,
                        int64_t memory) {
    abi::Plan plan = best.plan;
    plan.set_summary(summarizePlan(best, devices, memory));
    std::string text;
    ::google::protobuf::TextFormat::PrintToString(plan, &text);
    return writeResult(path, [&](llvm::raw_ostream &out) { out << text; });
  }

  cl::opt<std::string> output;
  cl::opt<int> shown;
  cl::opt<bool> frontier;
  cl::opt<int> threads;
  cl::list<std::string> whatIf;
  cl::opt<bool> quiet;
  FormatFlag format;
  double reported = 0;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makePlanSubcommand() {
  return std::make_unique<PlanSubcommand>();
}
