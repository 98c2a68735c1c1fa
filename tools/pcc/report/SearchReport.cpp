// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three independent reports: of meshes, of the cost model `memory`, and of pipelines. Solver costs
// are integers, which strategy::toSeconds converts. Tables list the 20 most expensive ops; JSON
// lists all.
#include "tools/pcc/report/SearchReports.h"

#include "passes/analysis/names/OpNames.h"
#include "passes/strategy/search/NodeNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

static std::vector<std::string> print(llvm::ArrayRef<dist::Sharding> shardings) {
  std::vector<std::string> texts;
  for (const dist::Sharding &sharding : shardings)
    texts.push_back(sharding.str());
  return texts;
}

/// Lists the ops of a plan.
static std::vector<PlannedOp> listOps(const strategy::SearchOutcome &outcome) {
  std::vector<PlannedOp> ops;
  std::vector<std::string> names = strategy::nameNodes(outcome.problem->getGraph());
  for (auto [index, node] : llvm::enumerate(outcome.problem->getGraph().nodes)) {
    if (node.kind != strategy::SearchNode::Kind::Op)
      continue;
    int32_t option = outcome.result.solution[index];
    const strategy::OpSharding &opSharding = outcome.problem->getOptions(index).opShardings[option];
    ops.push_back({names[index], print(opSharding.operands), print(opSharding.results),
                   strategy::toSeconds(outcome.problem->getProblem().nodes[index].costs[option]),
                   outcome.problem->secondsHidden(index, option)});
  }
  return ops;
}

SearchReport::SearchReport(llvm::ArrayRef<plan::MeshCandidate> candidates) {
  for (const plan::MeshCandidate &candidate : candidates) {
    const solve::SolveResult &result = candidate.outcome.result;
    meshes.push_back({candidate.mesh.str(), solve::stringify(result.status),
                      strategy::toSeconds(result.cost), strategy::toSeconds(result.bound),
                      candidate.outcome.seconds + result.statistics.seconds, result.hasSolution(),
                      candidate.cutSeconds, strategy::toSeconds(candidate.outcome.costBefore)});
  }
  if (candidates.front().outcome.isFeasible())
    ops = listOps(candidates.front().outcome);
  constraints = candidates.front().constraints;
}

double SearchReport::secondsHidden() const {
  double seconds = 0;
  for (const PlannedOp &op : ops)
    seconds += op.hidden;
  return seconds;
}

json::Value SearchReport::toJson() const {
  json::Array rows;
  double seconds = 0;
  for (const Mesh &mesh : meshes) {
    rows.push_back(json::Object{{"mesh", mesh.name},
                                {"status", mesh.status},
                                {"cost", mesh.cost},
                                {"bound", mesh.bound},
                                {"seconds", mesh.seconds}});
    seconds += mesh.seconds;
  }
  json::Object plan;
  for (const PlannedOp &op : ops)
    plan[op.name] =
        json::Object{{"in_strategy", op.in}, {"out_strategy", op.out}, {"cost", op.seconds}};
  json::Array costs;
  for (const strategy::ConstraintCost &constraint : constraints) {
    json::Object row{{"constraint", constraint.text}, {"cost", nullptr}, {"max_cost", nullptr}};
    if (constraint.isKnown) {
      row["cost"] = constraint.seconds;
      row["max_cost"] = constraint.maxSeconds;
    }
    costs.push_back(std::move(row));
  }
  const Mesh &best = meshes.front();
  json::Object report{{"cost", best.cost},      {"bound", best.bound},
                      {"seconds", seconds},     {"meshes", std::move(rows)},
                      {"ops", std::move(plan)}, {"constraints", std::move(costs)}};
  if (programCost) {
    report["program_cost"] = *programCost;
    report["hidden"] = secondsHidden();
  }
  if (best.cutSeconds > 0) {
    report["cut_seconds"] = best.cutSeconds;
    report["cost_before"] = best.costBefore;
  }
  return report;
}

/// Prints the cost of each constraint, and an upper bound if a higher cost is not ruled out.
static void printConstraints(llvm::ArrayRef<strategy::ConstraintCost> constraints) {
  if (!constraints.empty())
    llvm::outs() << "\ncost of constraints, ms per step:\n";
  for (const strategy::ConstraintCost &constraint : constraints) {
    if (!constraint.isKnown) {
      llvm::outs() << llvm::formatv("{0,10}  {1}, not computed within the time limit\n", "",
                                    constraint.text);
      continue;
    }
    llvm::outs() << llvm::formatv("{0,10:f4}  {1}", constraint.seconds * 1e3, constraint.text);
    if (constraint.maxSeconds > constraint.seconds)
      llvm::outs() << llvm::formatv(", at most {0:f4}", constraint.maxSeconds * 1e3);
    llvm::outs() << "\n";
  }
}

void SearchReport::print() const {
  llvm::outs() << llvm::formatv("{0,-24} {1,12} {2,12} {3,8} {4,10}\n", "mesh", "step ms",
                                "bound ms", "gap %", "search s");
  for (const Mesh &mesh : meshes)
    if (mesh.isFeasible)
      llvm::outs() << llvm::formatv(
          "{0,-24} {1,12:f4} {2,12:f4} {3,8:f3} {4,10:f3}\n", mesh.name, mesh.cost * 1e3,
          mesh.bound * 1e3, mesh.cost > 0 ? 100 * (1 - mesh.bound / mesh.cost) : 0.0, mesh.seconds);
    else
      llvm::outs() << llvm::formatv("{0,-24} {1,12}\n", mesh.name, mesh.status);
  if (const Mesh &best = meshes.front(); best.cutSeconds > 0)
    llvm::outs() << llvm::formatv(
        "recursive cuts: {0:f4} s, {1:f4} ms per step before improvement\n", best.cutSeconds,
        best.costBefore * 1e3);
  if (double cost = meshes.front().cost + secondsHidden(); programCost && cost > 0)
    llvm::outs() << llvm::formatv(
        "program of the best: {0:f4} ms per step if nothing is hidden, {1:f1} % {2} than counted\n",
        *programCost * 1e3, 100 * std::abs(*programCost / cost - 1),
        *programCost < cost ? "less" : "more");
  std::vector<PlannedOp> longest = ops;
  llvm::stable_sort(longest, [](const PlannedOp &lhs, const PlannedOp &rhs) {
    return lhs.seconds > rhs.seconds;
  });
  constexpr size_t maxShown = 20;
  longest.resize(std::min(longest.size(), maxShown));
  if (!longest.empty())
    llvm::outs() << llvm::formatv("\n{0} ops; the slowest, ms per step:\n", ops.size());
  for (const PlannedOp &op : longest)
    llvm::outs() << llvm::formatv("{0,10:f4}  {1}: {2} -> {3}\n", op.seconds * 1e3, op.name,
                                  llvm::join(op.in, ", "), llvm::join(op.out, ", "));
  printConstraints(constraints);
}

/// Formats `((2,1),(1,4))`.
static std::string print(llvm::ArrayRef<std::vector<int64_t>> tensors) {
  std::vector<std::string> tuples;
  for (const std::vector<int64_t> &counts : tensors) {
    auto numbers = llvm::map_range(counts, [](int64_t count) { return std::to_string(count); });
    tuples.push_back("(" + llvm::join(numbers, ",") + ")");
  }
  return "(" + llvm::join(tuples, ",") + ")";
}

MemoryReport::MemoryReport(const strategy::MemoryOutcome &outcome)
    : mesh(outcome.program.mesh.str()), status(solve::stringify(outcome.result.status)),
      cost(outcome.cost), total(outcome.total), bound(outcome.bound), seconds(outcome.seconds) {
  llvm::StringMap<unsigned> seen;
  for (const strategy::MemoryChoice &choice : outcome.choices) {
    std::string name = analysis::getName(choice.op).str();
    if (unsigned number = seen[name]++)
      name += "#" + std::to_string(number);
    ops.push_back({name, ::print(choice.operands), ::print(choice.results), choice.total});
  }
}

json::Value MemoryReport::toJson() const {
  json::Object plan;
  for (const Op &op : ops)
    plan[op.name] =
        json::Object{{"in_strategy", op.in}, {"out_strategy", op.out}, {"cost", op.total}};
  return json::Object{{"cost", total},
                      {"bound", bound},
                      {"status", status},
                      {"seconds", seconds},
                      {"mesh", mesh},
                      {"computation", cost.computation},
                      {"activations", cost.activations},
                      {"parameters", cost.parameters},
                      {"ops", std::move(plan)}};
}

void MemoryReport::print() const {
  llvm::outs() << llvm::formatv("{0}: cost {1:f1}, bound {2:f1}, {3:f3} s, mesh {4}\n", status,
                                total, bound, seconds, mesh)
               << llvm::formatv("computation {0:f0}, activations {1:f0}, parameters {2:f0} bytes\n",
                                cost.computation, cost.activations, cost.parameters);
  std::vector<Op> costliest = ops;
  llvm::stable_sort(costliest, [](const Op &lhs, const Op &rhs) { return lhs.total > rhs.total; });
  constexpr size_t maxShown = 20;
  costliest.resize(std::min(costliest.size(), maxShown));
  if (!costliest.empty())
    llvm::outs() << llvm::formatv("\n{0} ops; the most expensive:\n", ops.size());
  for (const Op &op : costliest)
    llvm::outs() << llvm::formatv("{0,16:f1}  {1}: {2} -> {3}\n", op.total, op.name, op.in, op.out);
}

/// Prints each reason why candidates could not be compiled, with their number.
static void printRefused(llvm::ArrayRef<plan::PipelineCandidate> candidates) {
  llvm::MapVector<llvm::StringRef, int> reasons;
  for (const plan::PipelineCandidate &candidate : candidates)
    if (candidate.schedule.empty() && !candidate.isPruned)
      ++reasons[candidate.error];
  for (auto [reason, count] : reasons)
    llvm::outs() << llvm::formatv("{0} not compiled: {1}\n", count, reason);
}

/// Prints the bounds of the pruned candidates by stages, microbatches and virtual stages:
/// `4 x 8 x 2: 2.31`, in ms. Candidates that share these numbers share the lowest of their bounds.
static void printPruned(llvm::ArrayRef<plan::PipelineCandidate> candidates) {
  std::map<std::tuple<int, int64_t, int>, double> bounds;
  int count = 0;
  for (const plan::PipelineCandidate &candidate : candidates) {
    if (!candidate.isPruned)
      continue;
    const plan::PipelineCut &cut = candidate.cut;
    auto [known, isNew] =
        bounds.try_emplace({cut.stages, cut.microbatches, cut.chunks}, candidate.bound);
    known->second = std::min(known->second, candidate.bound);
    ++count;
  }
  if (count == 0)
    return;
  llvm::outs() << count << " pruned by lower bound (stages x microbatches x virtual stages: ms):";
  for (auto [cut, seconds] : bounds)
    llvm::outs() << llvm::formatv("{0} {1} x {2} x {3}: {4:f4}",
                                  cut == bounds.begin()->first ? "" : ",", std::get<0>(cut),
                                  std::get<1>(cut), std::get<2>(cut), seconds * 1e3);
  llvm::outs() << "\n";
}

static void printRow(const plan::PipelineCandidate &candidate) {
  llvm::outs() << llvm::formatv("{0,6} {1,12} {2,7}  {3,-16} ", candidate.cut.stages,
                                candidate.cut.microbatches, candidate.cut.chunks,
                                candidate.schedule);
  if (!candidate.error.empty())
    llvm::outs() << candidate.error << "\n";
  else
    llvm::outs() << llvm::formatv("{0,12:f4} {1,6:f1} % {2,10:f2} {3,10}\n",
                                  candidate.seconds * 1e3, 100 * candidate.bubble,
                                  candidate.peakBytes / 1e9, candidate.recomputedOps);
}

void PipelineReport::print() const {
  llvm::outs() << llvm::formatv("{0,6} {1,12} {2,7}  {3,-16} {4,12} {5,8} {6,10} {7,10}\n",
                                "stages", "microbatches", "virtual", "schedule", "step ms",
                                "bubble", "memory GB", "recomputed");
  for (const plan::PipelineCandidate &candidate : candidates)
    if (!candidate.schedule.empty())
      printRow(candidate);
  printRefused(candidates);
  printPruned(candidates);
  const plan::PipelineCandidate &best = candidates.front();
  if (!best.error.empty())
    return;
  llvm::outs() << llvm::formatv(
      "best: --pipeline-stages={0} --micro-batches={1} --virtual-stages={2} "
      "--pipeline-schedule={3}",
      best.cut.stages, best.cut.microbatches, best.cut.chunks, best.schedule);
  if (best.cut.memory > 0)
    llvm::outs() << " --stage-memory=" << best.cut.memory;
  llvm::outs()
      << "\ntimes and memory are estimates; 'pcc plan' compiles and simulates what it offers\n";
}

json::Value PipelineReport::toJson() const {
  json::Array rows;
  for (const plan::PipelineCandidate &candidate : candidates)
    rows.push_back(json::Object{{"pipeline_stages", candidate.cut.stages},
                                {"micro_batches", candidate.cut.microbatches},
                                {"virtual_stages", candidate.cut.chunks},
                                {"pipeline_schedule", candidate.schedule},
                                {"stage_memory", candidate.cut.memory},
                                {"seconds", candidate.seconds},
                                {"bound_seconds", candidate.bound},
                                {"bubble", candidate.bubble},
                                {"peak_bytes", candidate.peakBytes},
                                {"recomputed_ops", candidate.recomputedOps},
                                {"pruned", candidate.isPruned},
                                {"error", candidate.error}});
  return json::Object{{"candidates", std::move(rows)}};
}
