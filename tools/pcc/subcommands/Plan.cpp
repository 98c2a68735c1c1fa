// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc plan: chooses how a training step is spread over a cluster, and explains the choice.

#include "compiler/search/PlanSearch.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/CompileFlags.h"
#include "tools/pcc/report/PlanReport.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/text_format.h>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

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

class PlanSubcommand : public Subcommand {
public:
  PlanSubcommand()
      : Subcommand("plan", "chooses how a training step is spread over a cluster"),
        compileFlags(command), output("o", cl::desc("output file: the plan, for '--plan'"),
                                      cl::value_desc("file"), cl::sub(command)),
        shown("plans", cl::desc("number of plans to print (default: 10)"), cl::init(10),
              cl::sub(command)),
        quiet("quiet", cl::desc("print no progress"), cl::sub(command)), format(command) {}

  ExitCode run() override {
    CompileOptions options;
    if (ExitCode code = readOptions(options))
      return code;
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> model = compileFlags.getModel().load(session.context, code);
    if (!model)
      return code;
    int64_t devices = options.parallel.device_num();
    search::PlanSearchOptions limits;
    limits.seconds = options.parallel.time_limit();
    if (!quiet)
      limits.progress = [this](const search::PlanSearch &search) { report(search); };
    search::PlanSearch search(*model, std::move(options), std::move(limits));
    if (mlir::failed(search.run()))
      return BadInput;
    if (format.isJson())
      printJson(plansToJson(search, devices));
    else
      printPlans(search, devices, shown);
    const search::PlanCandidate *best = search.getBest();
    if (!best)
      return fail(Infeasible, "no plan fits into the memory of a device");
    return output.empty() ? Success : write(*best, devices, search.getMemory());
  }

private:
  ExitCode readOptions(CompileOptions &options) const {
    for (llvm::StringRef field : chosenFields)
      if (compileFlags.has(field)) {
        std::string flag = field.str();
        std::replace(flag.begin(), flag.end(), '_', '-');
        return fail(BadUsage, "'--" + flag +
                                  "': expected no such option, since the plan chooses it; "
                                  "'pcc simulate' and 'pcc search' obey it");
      }
    if (compileFlags.obeysPlan())
      return fail(BadUsage, "'--plan': expected no plan, since this command makes one");
    if (shown < 1)
      return fail(BadUsage, llvm::formatv("'--plans': expected 1 or more, got {0}", int(shown)));
    if (ExitCode code = compileFlags.read(options))
      return code;
    if (!options.cluster)
      return fail(BadUsage, "expected a machine by '--cluster', got none");
    if (!options.trains())
      return fail(BadUsage, "expected a training step by '--loss' and '--optimizer', got none");
    abi::ParallelConfig &config = options.parallel;
    if (!compileFlags.has("device_num"))
      config.set_device_num(int(machine::countDevices(*options.cluster)));
    // All plans train the same: with means over the whole batch.
    if (!compileFlags.has("gradients_mean"))
      config.set_gradients_mean(true);
    if (!compileFlags.has("micro_reduction"))
      config.set_micro_reduction(abi::MICRO_MEAN);
    return Success;
  }

  /// Prints a line of progress, but not more often than every two seconds.
  void report(const search::PlanSearch &search) {
    constexpr double period = 2;
    if (search.getElapsed() < reported + period)
      return;
    reported = search.getElapsed();
    printPlanProgress(search);
  }

  ExitCode write(const search::PlanCandidate &best, int64_t devices, int64_t memory) const {
    abi::Plan plan = best.plan;
    plan.set_summary(summarizePlan(best, devices, memory));
    std::string text;
    ::google::protobuf::TextFormat::PrintToString(plan, &text);
    return writeResult(output, [&](llvm::raw_ostream &out) { out << text; });
  }

  CompileFlags compileFlags;
  cl::opt<std::string> output;
  cl::opt<int> shown;
  cl::opt<bool> quiet;
  FormatFlag format;
  double reported = 0;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makePlanSubcommand() {
  return std::make_unique<PlanSubcommand>();
}
