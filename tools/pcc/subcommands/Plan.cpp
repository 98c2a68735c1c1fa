// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc plan: chooses how a training step is spread over a cluster, and explains the choice.

#include "compiler/plan/choice/ByteUnit.h"
#include "compiler/search/PlanSearch.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/text_format.h>

using namespace pcc;
using namespace pcc::cli;
using pcc::plan::ByteUnit;
using pcc::search::PlanCandidate;
using pcc::search::PlanSearch;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

std::string describe(const PlanCandidate &candidate, int64_t devices) {
  std::string text = candidate.shape.describe(devices);
  int parts = candidate.plan.recomputed_part_size();
  if (parts > 0)
    text += llvm::formatv(", {0} part{1} recomputed", parts, parts == 1 ? "" : "s");
  return text;
}

/// Returns by how much the best step may be above the optimum of the space, in percent.
double gapPercent(const PlanSearch &search, double seconds) {
  return search.getBound() > 0 ? 100 * (seconds / search.getBound() - 1) : 0;
}

/// Returns whether two candidates, neighbors by time, take the same time and memory: an optimizer
/// level or schedule makes no difference.
bool isSameProgram(const PlanCandidate &a, const PlanCandidate &b) {
  return a.seconds == b.seconds && a.peakBytes == b.peakBytes;
}

void printRow(const PlanCandidate &candidate, const PlanCandidate *best, int64_t devices,
              int64_t memory) {
  ByteUnit unit(memory);
  std::string loses;
  if (!candidate.fits(memory))
    loses = llvm::formatv("needs {0:f1} of {1:f1} {2}", unit.convert(candidate.peakBytes),
                          unit.convert(memory), unit.getName());
  else if (best && best != &candidate)
    loses = llvm::formatv("{0:f1} % slower", 100 * (candidate.seconds / best->seconds - 1));
  llvm::outs() << llvm::formatv(
      "{0,12:f3} {1,9:f2} {2,9:f1} {3,9:f1} {4,9:f1}  {5}{6}\n", candidate.seconds * 1e3,
      unit.convert(candidate.peakBytes), 100 * candidate.computing, 100 * candidate.communicating,
      100 * candidate.waiting, describe(candidate, devices), loses.empty() ? "" : "; " + loses);
}

/// Prints each reason why shapes could not be compiled, with their number.
void printErrors(llvm::ArrayRef<PlanCandidate> candidates) {
  llvm::MapVector<llvm::StringRef, int> reasons;
  for (const PlanCandidate &candidate : candidates)
    if (!candidate.error.empty())
      ++reasons[candidate.error];
  for (auto [reason, count] : reasons)
    llvm::outs() << llvm::formatv("{0} not compiled: {1}\n", count, reason);
}

/// Returns a plan in words: `2 stages x DP 8 x TP 1, …, 12 parts recomputed: 4199.3 ms, 64.1 of
/// 80.0 GB`.
std::string summarizePlan(const PlanCandidate &candidate, int64_t devices, int64_t memory) {
  ByteUnit unit(memory);
  return llvm::formatv("{0}: {1:f3} ms, {2:f1} of {3:f1} {4}", describe(candidate, devices),
                       candidate.seconds * 1e3, unit.convert(candidate.peakBytes),
                       unit.convert(memory), unit.getName());
}

/// Prints a line of progress to stderr.
void printPlanProgress(const PlanSearch &search) {
  std::string best = "no plan that fits";
  if (const PlanCandidate *candidate = search.getBest()) {
    ByteUnit unit(search.getMemory());
    best = llvm::formatv("best step {0:f3} ms in {1:f1} {2}", candidate->seconds * 1e3,
                         unit.convert(candidate->peakBytes), unit.getName());
  }
  llvm::errs() << llvm::formatv(
      "{0,7:f1} s  {1} compiled, {2} pruned, {3} left; {4}, bound {5:f3} ms\n", search.getElapsed(),
      search.getCandidates().size(), search.getNumPruned(), search.getNumUntried(), best,
      search.getBound() * 1e3);
}

/// Prints the result of a search for a program on `devices` ranks; the `maxShown` best plans.
void printPlans(const PlanSearch &search, int64_t devices, size_t maxShown) {
  const PlanCandidate *best = search.getBest();
  if (best)
    llvm::outs() << summarizePlan(*best, devices, search.getMemory())
                 << llvm::formatv(", at most {0:f1} % above the best possible\n\n",
                                  gapPercent(search, best->seconds));
  ByteUnit unit(search.getMemory());
  llvm::outs() << llvm::formatv("{0,12} {1,9} {2,9} {3,9} {4,9}  plan\n", "step ms",
                                std::string("memory ") + unit.getName(), "compute %", "communic. %",
                                "wait %");
  size_t shown = 0;
  const PlanCandidate *last = nullptr;
  for (const PlanCandidate &candidate : search.getCandidates()) {
    if (!candidate.error.empty() || (last && isSameProgram(*last, candidate)))
      continue;
    last = &candidate;
    if (shown++ < maxShown)
      printRow(candidate, best, devices, search.getMemory());
  }
  printErrors(search.getCandidates());
  llvm::outs() << llvm::formatv(
      "{0} compiled, {1} pruned by the bound, {2} not tried within {3:f0} s\n",
      search.getCandidates().size(), search.getNumPruned(), search.getNumUntried(),
      search.getElapsed());
  llvm::outs() << llvm::formatv("no plan takes less than {0:f3} ms: computation alone, without "
                                "communication, updates and recomputation\n",
                                search.getBound() * 1e3);
}

/// Returns `{"plans": [{"plan", "step_seconds", "peak_bytes", "fits", …}], "bound_seconds", …}`.
json::Value plansToJson(const PlanSearch &search, int64_t devices) {
  json::Array plans;
  for (const PlanCandidate &candidate : search.getCandidates()) {
    const plan::PlanShape &shape = candidate.shape;
    json::Object plan{{"plan", describe(candidate, devices)},
                      {"pipeline_stages", shape.stages},
                      {"virtual_stages", shape.virtualStages},
                      {"pipeline_schedule", shape.schedule},
                      {"micro_batches", shape.microbatches},
                      {"data_parallel", shape.getDataParallel(devices)},
                      {"tensor_parallel", shape.tensorParallel},
                      {"optimizer_level", shape.optimizerLevel},
                      {"searched", shape.isSearched},
                      {"recomputed_parts", candidate.plan.recomputed_part_size()}};
    if (candidate.error.empty()) {
      plan["step_seconds"] = candidate.seconds;
      plan["peak_bytes"] = candidate.peakBytes;
      plan["fits"] = candidate.fits(search.getMemory());
      plan["shares"] = json::Object{{"compute", candidate.computing},
                                    {"communication", candidate.communicating},
                                    {"wait", candidate.waiting}};
    } else {
      plan["error"] = candidate.error;
    }
    plans.push_back(std::move(plan));
  }
  return json::Object{{"plans", std::move(plans)},
                      {"bound_seconds", search.getBound()},
                      {"memory_bytes", search.getMemory()},
                      {"pruned", int64_t(search.getNumPruned())},
                      {"not_tried", int64_t(search.getNumUntried())},
                      {"seconds", search.getElapsed()}};
}

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
        output("o", cl::desc("output file: the plan, for '--plan'"), cl::value_desc("file"),
               cl::sub(command)),
        shown("plans", cl::desc("number of plans to print (default: 10)"), cl::init(10),
              cl::sub(command)),
        quiet("quiet", cl::desc("print no progress"), cl::sub(command)), format(command) {}

  ExitCode runModel() override {
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
      limits.progress = [this](const PlanSearch &search) { report(search); };
    PlanSearch search(*model, std::move(options), std::move(limits));
    if (mlir::failed(search.run()))
      return BadInput;
    if (format.isJson())
      printJson(plansToJson(search, devices));
    else
      printPlans(search, devices, shown);
    const PlanCandidate *best = search.getBest();
    if (!best)
      return fail(Infeasible, "no plan fits into the memory of a device");
    return output.empty() ? Success : write(*best, devices, search.getMemory());
  }

private:
  ExitCode readOptions(CompileOptions &options) const {
    for (llvm::StringRef field : chosenFields)
      if (compileFlags.has(field))
        return compileFlags.refuse(field, "expected no such option, since the plan chooses it; "
                                          "'pcc simulate' and 'pcc search' obey it");
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
  void report(const PlanSearch &search) {
    constexpr double period = 2;
    if (search.getElapsed() < reported + period)
      return;
    reported = search.getElapsed();
    printPlanProgress(search);
  }

  ExitCode write(const PlanCandidate &best, int64_t devices, int64_t memory) const {
    abi::Plan plan = best.plan;
    plan.set_summary(summarizePlan(best, devices, memory));
    std::string text;
    ::google::protobuf::TextFormat::PrintToString(plan, &text);
    return writeResult(output, [&](llvm::raw_ostream &out) { out << text; });
  }

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
