// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/report/SearchReports.h"

#include "compiler/plan/choice/ByteUnit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
using pcc::plan::ByteUnit;
using pcc::search::DeviceCount;
using pcc::search::FrontierPoint;
using pcc::search::FrontierSearch;
using pcc::search::PlanCandidate;
using pcc::search::PlanSearch;
namespace json = llvm::json;

static std::string describe(const PlanCandidate &candidate, int64_t devices) {
  std::string text = candidate.shape.describe(devices);
  int parts = candidate.plan.recomputed_part_size();
  if (parts > 0)
    text += llvm::formatv(", {0} part{1} recomputed", parts, parts == 1 ? "" : "s");
  return text;
}

/// Returns by how much the best step may be above the optimum of the space, in percent.
static double gapPercent(const PlanSearch &search, double seconds) {
  return search.getBound() > 0 ? 100 * (seconds / search.getBound() - 1) : 0;
}

/// Says whether the clock ended a search before its work was done.
static const char *describeCutOff(bool isCutOff) {
  return isCutOff ? "; the clock ended the search, so another run may find another plan" : "";
}

/// Returns whether two candidates, neighbors by time, take the same time and memory: an optimizer
/// level or schedule makes no difference.
static bool isSameProgram(const PlanCandidate &a, const PlanCandidate &b) {
  return a.seconds == b.seconds && a.peakBytes == b.peakBytes;
}

static void printRow(const PlanCandidate &candidate, const PlanCandidate *best, int64_t devices,
                     int64_t memory) {
  ByteUnit unit(memory);
  std::string loses;
  if (!candidate.fits(memory))
    loses = llvm::formatv("needs {0:f1} of {1:f1} {2}", unit.convert(candidate.peakBytes),
                          unit.convert(memory), unit.getName());
  else if (best && best != &candidate)
    loses = llvm::formatv("{0:f1} % slower", 100 * (candidate.seconds / best->seconds - 1));
  llvm::outs() << llvm::formatv("{0,12:f3} {1,9:f2} {2,6:f1} {3,9:f1} {4,9:f1} {5,9:f1}  {6}{7}\n",
                                candidate.seconds * 1e3, unit.convert(candidate.peakBytes),
                                100 * candidate.utilization, 100 * candidate.computing,
                                100 * candidate.communicating, 100 * candidate.waiting,
                                describe(candidate, devices), loses.empty() ? "" : "; " + loses);
}

/// Prints each reason why shapes could not be compiled, with their number.
static void printErrors(llvm::ArrayRef<PlanCandidate> candidates) {
  llvm::MapVector<llvm::StringRef, int> reasons;
  for (const PlanCandidate &candidate : candidates)
    if (!candidate.error.empty())
      ++reasons[candidate.error];
  for (auto [reason, count] : reasons)
    llvm::outs() << llvm::formatv("{0} not compiled: {1}\n", count, reason);
}

std::string pcc::cli::summarizePlan(const PlanCandidate &candidate, int64_t devices,
                                    int64_t memory) {
  ByteUnit unit(memory);
  return llvm::formatv("{0}: {1:f3} ms, {2:f1} of {3:f1} {4}", describe(candidate, devices),
                       candidate.seconds * 1e3, unit.convert(candidate.peakBytes),
                       unit.convert(memory), unit.getName());
}

void pcc::cli::printPlanProgress(const PlanSearch &search) {
  std::string best = "no plan that fits";
  if (const PlanCandidate *candidate = search.getBest()) {
    ByteUnit unit(search.getMemory());
    best = llvm::formatv("best step {0:f3} ms in {1:f1} {2}", candidate->seconds * 1e3,
                         unit.convert(candidate->peakBytes), unit.getName());
  }
  llvm::errs() << llvm::formatv(
      "{0,7:f1} s  {6} devices: {1} compiled, {2} pruned, {3} left; {4}, bound {5:f3} ms\n",
      search.getElapsed(), search.getCandidates().size(), search.getNumPruned(),
      search.getNumUntried(), best, search.getBound() * 1e3, search.getDevices());
}

void pcc::cli::printPlans(const PlanSearch &search, size_t maxShown) {
  int64_t devices = search.getDevices();
  const PlanCandidate *best = search.getBest();
  if (best)
    llvm::outs() << summarizePlan(*best, devices, search.getMemory())
                 << llvm::formatv(", at most {0:f1} % above the best possible\n\n",
                                  gapPercent(search, best->seconds));
  ByteUnit unit(search.getMemory());
  llvm::outs() << llvm::formatv("{0,12} {1,9} {2,6} {3,9} {4,9} {5,9}  plan\n", "step ms",
                                std::string("memory ") + unit.getName(), "MFU %", "compute %",
                                "communic. %", "wait %");
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
      "{0} compiled, {1} pruned by the bound, {2} not tried within {3:f0} s{4}\n",
      search.getCandidates().size(), search.getNumPruned(), search.getNumUntried(),
      search.getElapsed(), describeCutOff(search.wasCutOff()));
  llvm::outs() << llvm::formatv("no plan takes less than {0:f3} ms: matmuls, and what kernels "
                                "between them must read and write\n",
                                search.getBound() * 1e3);
}

/// Returns the least memory that a compiled plan needs; 0 if there is none.
static int64_t findLeastBytes(const PlanSearch &search) {
  int64_t least = 0;
  for (const PlanCandidate &candidate : search.getCandidates())
    if (candidate.error.empty() && (least == 0 || candidate.peakBytes < least))
      least = candidate.peakBytes;
  return least;
}

static void printOtherMachine(const PlanSearch &search, const OtherMachine &other) {
  const PlanCandidate *base = search.getBest(), *best = other.search->getBest();
  if (!best) {
    ByteUnit unit(other.search->getMemory());
    llvm::outs() << llvm::formatv("{0,12} {1,8} {2,9} {3,6}  {4}: none fits, the smallest needs "
                                  "{5:f1} of {6:f1} {7}\n",
                                  "-", "-", "-", "-", other.name,
                                  unit.convert(findLeastBytes(*other.search)),
                                  unit.convert(other.search->getMemory()), unit.getName());
    return;
  }
  ByteUnit unit(search.getMemory());
  std::string ratio = base ? llvm::formatv("{0:f3}", best->seconds / base->seconds).str() : "-";
  llvm::outs() << llvm::formatv("{0,12:f3} {1,8} {2,9:f2} {3,6:f1}  {4}: {5}\n",
                                best->seconds * 1e3, ratio, unit.convert(best->peakBytes),
                                gapPercent(*other.search, best->seconds), other.name,
                                describe(*best, search.getDevices()));
}

void pcc::cli::printOtherMachines(const PlanSearch &search, llvm::ArrayRef<OtherMachine> others) {
  if (others.empty())
    return;
  ByteUnit unit(search.getMemory());
  llvm::outs() << "\non other machines, by the programs above and what a second compiles\n"
               << llvm::formatv("{0,12} {1,8} {2,9} {3,6}  machine: plan\n", "step ms", "of above",
                                std::string("memory ") + unit.getName(), "gap %");
  for (const OtherMachine &other : others)
    printOtherMachine(search, other);
}

/// Returns `{"plan", "pipeline_stages", …, "step_seconds", "peak_bytes", "fits", "mfu", "shares"}`,
/// or with "error" in place of the last five.
static json::Object candidateToJson(const PlanCandidate &candidate, int64_t devices,
                                    int64_t memory) {
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
  if (!shape.isSearched && shape.optimizerLevel > 0)
    plan["optimizer_ways"] =
        shape.optimizerWays > 0 ? shape.optimizerWays : shape.getDataParallel(devices);
  if (!candidate.error.empty()) {
    plan["error"] = candidate.error;
    return plan;
  }
  plan["step_seconds"] = candidate.seconds;
  plan["peak_bytes"] = candidate.peakBytes;
  plan["fits"] = candidate.fits(memory);
  if (candidate.utilization > 0)
    plan["mfu"] = candidate.utilization;
  plan["shares"] = json::Object{{"compute", candidate.computing},
                                {"communication", candidate.communicating},
                                {"wait", candidate.waiting}};
  return plan;
}

/// Returns `{"machine", "bound_seconds", "memory_bytes", "seconds", "plan": {…}}`; without a plan
/// if none fits.
static json::Object machineToJson(const OtherMachine &other) {
  const PlanSearch &search = *other.search;
  json::Object machine{{"machine", other.name},
                       {"bound_seconds", search.getBound()},
                       {"memory_bytes", search.getMemory()},
                       {"cut_off", search.wasCutOff()},
                       {"seconds", search.getElapsed()}};
  if (const PlanCandidate *best = search.getBest())
    machine["plan"] = candidateToJson(*best, search.getDevices(), search.getMemory());
  return machine;
}

json::Value pcc::cli::plansToJson(const PlanSearch &search, llvm::ArrayRef<OtherMachine> others) {
  json::Array plans, machines;
  for (const PlanCandidate &candidate : search.getCandidates())
    plans.push_back(candidateToJson(candidate, search.getDevices(), search.getMemory()));
  json::Object result{{"plans", std::move(plans)},
                      {"bound_seconds", search.getBound()},
                      {"memory_bytes", search.getMemory()},
                      {"pruned", int64_t(search.getNumPruned())},
                      {"not_tried", int64_t(search.getNumUntried())},
                      {"cut_off", search.wasCutOff()},
                      {"work_seconds", search.getWork()},
                      {"seconds", search.getElapsed()}};
  for (const OtherMachine &other : others)
    machines.push_back(machineToJson(other));
  if (!others.empty())
    result["what_if"] = std::move(machines);
  return result;
}

/// Prints what one number of devices has given.
static void printCount(const DeviceCount &count, bool hasPlan, int64_t memory) {
  ByteUnit unit(memory);
  std::string loses;
  if (!hasPlan && count.minBytes > memory)
    loses = llvm::formatv("; none fits, the smallest needs {0:f1} of {1:f1} {2}",
                          unit.convert(count.minBytes), unit.convert(memory), unit.getName());
  else if (!hasPlan)
    loses = count.minBytes == 0 ? "; none compiles" : "; none is on the frontier";
  llvm::outs() << llvm::formatv(
      "{0,7} device{1}: {2} compiled, {3} not tried, no step under {4:f3} ms{5}{6}\n",
      count.devices, count.devices == 1 ? "" : "s", count.numCompiled, count.numUntried,
      count.bound * 1e3, loses, describeCutOff(count.isCutOff));
}

void pcc::cli::printFrontier(const FrontierSearch &search) {
  ByteUnit unit(search.getMemory());
  llvm::outs() << llvm::formatv("{0,4} {1,7} {2,12} {3,9} {4,6} {5,9}  plan\n", "row", "devices",
                                "step ms", std::string("memory ") + unit.getName(), "MFU %",
                                "scaling %");
  llvm::ArrayRef<FrontierPoint> points = search.getPoints();
  for (auto [index, point] : llvm::enumerate(points)) {
    const FrontierPoint &first = points.front();
    double scaling = first.candidate.seconds * double(first.devices) /
                     (point.candidate.seconds * double(point.devices));
    llvm::outs() << llvm::formatv(
        "{0,4} {1,7} {2,12:f3} {3,9:f2} {4,6:f1} {5,9:f1}  {6}\n", index + 1, point.devices,
        point.candidate.seconds * 1e3, unit.convert(point.candidate.peakBytes),
        100 * point.candidate.utilization, 100 * scaling, describe(point.candidate, point.devices));
  }
  llvm::outs() << "\n";
  for (const DeviceCount &count : search.getCounts()) {
    bool hasPlan = llvm::any_of(
        points, [&](const FrontierPoint &point) { return point.devices == count.devices; });
    printCount(count, hasPlan, search.getMemory());
  }
}

json::Value pcc::cli::frontierToJson(const FrontierSearch &search) {
  json::Array points, counts;
  for (const FrontierPoint &point : search.getPoints()) {
    json::Object plan = candidateToJson(point.candidate, point.devices, search.getMemory());
    plan["devices"] = point.devices;
    points.push_back(std::move(plan));
  }
  for (const DeviceCount &count : search.getCounts())
    counts.push_back(json::Object{{"devices", count.devices},
                                  {"compiled", int64_t(count.numCompiled)},
                                  {"not_tried", int64_t(count.numUntried)},
                                  {"cut_off", count.isCutOff},
                                  {"bound_seconds", count.bound}});
  return json::Object{{"points", std::move(points)},
                      {"devices", std::move(counts)},
                      {"memory_bytes", search.getMemory()},
                      {"seconds", search.getElapsed()}};
}
