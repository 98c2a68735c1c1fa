// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates a step in the given order for the times at which operands are ready. Approximates the
// machine's cost of a collective by tangents at powers of two bytes. The solver of buckets takes
// the minimum of these lines.
#include "passes/schedule/collectives/FusionChoice.h"

#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/solve/buckets/BucketRules.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pcc::schedule {

/// Returns the time at which each member's operand is ready, in seconds of the step. For gradients
/// that only the update reads, this is the time at which they are complete.
std::vector<double> FusionCostModel::findReady(const FusionGroup &group) const {
  std::vector<double> ready;
  for (const FusionMember &member : group.members) {
    if (const std::optional<StepPoint> &point = points[member.kernel]) {
      ready.push_back(times.at(*point));
      continue;
    }
    double last = times.beginOf(name);
    for (int before : times.tasksOf(name).tasks[member.kernel].after)
      last = std::max(last, times.endOf(name, before));
    ready.push_back(last);
  }
  return ready;
}

/// Returns for each member the time from its first read to the end of the section's computation.
std::vector<double> FusionCostModel::findNeeded(const FusionGroup &group) const {
  std::vector<double> computed{0}; ///< by kernel: seconds of computation before it
  for (const streams::Task &task : times.tasksOf(name).tasks)
    computed.push_back(computed.back() +
                       (task.stream == streams::computeStream ? task.seconds : 0));
  std::vector<double> needed;
  for (const FusionMember &member : group.members) {
    int64_t first = computed.size() - 1;
    analysis::forEachReader(member.op->getResult(0), [&](Operation *reader) {
      first = std::min(first, analysis::getKernelNumber(reader).value_or(first));
    });
    needed.push_back(computed.back() - computed[first]);
  }
  return needed;
}

/// Returns cost lines for collectives of up to `maxBytes` bytes. The machine's cost is the minimum
/// of one line per algorithm; a tangent is taken at each power of two.
static std::vector<buckets::MessageTime> findLines(Operation *op, double minBytes, double maxBytes,
                                                   const abi::Cluster &cluster) {
  dist::Mesh mesh = dist::getMesh(op);
  std::vector<buckets::MessageTime> lines;
  for (double bytes = std::max(minBytes, 1.0);; bytes *= 2) {
    double here = analysis::secondsOfCollective(op, bytes, mesh, cluster);
    double beyond = analysis::secondsOfCollective(op, bytes * 1.0625, mesh, cluster);
    double slope = (beyond - here) / (bytes * 0.0625);
    lines.push_back({here - slope * bytes, slope});
    if (bytes >= maxBytes)
      return lines;
  }
}

GroupProblem FusionCostModel::buildProblem(const FusionGroup &group) const {
  GroupProblem built;
  bool isSource = group.use == FusionUse::Source;
  std::vector<double> order = isSource ? findNeeded(group) : findReady(group);
  built.members = llvm::to_vector(llvm::seq<int>(0, int(group.members.size())));
  llvm::stable_sort(built.members, [&](int a, int b) { return order[a] < order[b]; });
  bool waits = !isSource && !hides;
  double begin = waits ? times.beginOf(name) : 0;
  int64_t minBytes = INT64_MAX, total = 0;
  for (int index : built.members) {
    const FusionMember &member = group.members[index];
    int64_t bytes = int64_t(analysis::trafficOf(member.op).bytes);
    built.problem.gradients.push_back({std::max(order[index], begin), bytes, member.parameter});
    minBytes = std::min(minBytes, bytes);
    total += bytes;
  }
  built.problem.algorithms =
      findLines(group.members.front().op, double(minBytes), double(total), cluster);
  built.problem.limit = limit;
  if (!isSource)
    built.problem.computed = times.beginOf(name);
  return built;
}

/// Groups gradients by the bucket number of their parameter; a gradient without a number gets its
/// own bucket.
static buckets::Buckets chooseByParameter(const GroupProblem &problem, const FusionGroup &group,
                                          const ReferenceBuckets &numbers) {
  llvm::MapVector<int, std::vector<int>> buckets;
  int unknown = -1;
  for (auto [gradient, member] : llvm::enumerate(problem.members)) {
    auto number = numbers.find(group.members[member].parameter);
    buckets[number == numbers.end() ? unknown-- : number->second].push_back(int(gradient));
  }
  buckets::Buckets chosen;
  for (auto &[number, bucket] : buckets)
    chosen.push_back(std::move(bucket));
  return chosen;
}

/// Converts buckets to the order of a problem backwards in time.
static buckets::Buckets reverse(buckets::Buckets buckets, int count) {
  for (std::vector<int> &bucket : buckets) {
    for (int &gradient : bucket)
      gradient = count - 1 - gradient;
    std::reverse(bucket.begin(), bucket.end());
  }
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

buckets::Buckets chooseBuckets(const GroupProblem &problem, const FusionGroup &group,
                               const FusionRule &rule, const ReferenceBuckets *reference) {
  int count = int(problem.members.size());
  if (group.number)
    return buckets::fuseAll(count);
  switch (rule.mode) {
  case FusionMode::Auto:
    return buckets::fuseOptimally(problem.problem);
  case FusionMode::Off:
    return buckets::fuseNone(count);
  case FusionMode::All:
    return buckets::fuseAll(count);
  case FusionMode::Index:
    return buckets::fuseByIndex(count, rule.ends);
  case FusionMode::Size:
    break;
  }
  if (reference)
    return chooseByParameter(problem, group, *reference);
  bool isSource = group.use == FusionUse::Source;
  std::vector<int64_t> sizes;
  for (const buckets::Gradient &gradient : problem.problem.gradients)
    sizes.push_back(gradient.bytes);
  if (isSource)
    std::reverse(sizes.begin(), sizes.end());
  buckets::Buckets buckets =
      buckets::fuseBySize(sizes, rule.megabytes << 20, buckets::SizeRule::Closes);
  return isSource ? reverse(std::move(buckets), count) : buckets;
}

StepTimes::StepTimes(ModuleOp module, StepKernels &kernels, const abi::Cluster &cluster) {
  KernelTimes kernelTimes(cluster);
  for (analysis::Section &section : kernels.getSections()) {
    Known &entry = sections[section.function.getName()];
    entry.tasks = KernelStreams(section, /*unfinished=*/{}, kernels.orderOf(section), kernelTimes)
                      .getProblem();
    entry.times = streams::runInOrder(entry.tasks, streams::givenOrder(entry.tasks));
  }
  double now = 0;
  for (auto action : analysis::getStep(module).getBody().front().getOps<pipe::ActionOp>()) {
    Known &entry = sections.find(action.getSection())->second;
    entry.begin = now;
    now += entry.times.finish;
  }
}

double StepTimes::endOf(StringRef section, int64_t kernel) const {
  const Known &entry = known(section);
  return entry.begin + entry.times.begin[kernel] + entry.tasks.tasks[kernel].seconds;
}

double StepTimes::at(const StepPoint &point) const {
  if (point.action < 0)
    return 0;
  return point.behind < 0 ? beginOf(point.section) : endOf(point.section, point.behind);
}

} // namespace pcc::schedule
