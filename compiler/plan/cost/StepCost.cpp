// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the sections, then simulates the reductions of gradients relative to the end of the
// backward pass. Buckets are filled in the order in which gradients become ready, and run one after
// the other. Gathers are hidden by at most the longest forward pass.
#include "compiler/plan/cost/StepCost.h"

#include "compiler/plan/cost/SectionCostModel.h"
#include "dialects/graph/Roles.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace mlir;

namespace pcc::plan {

double SectionCost::recomputation() const {
  double communication = forward.communication + recomputed.communication + backward.communication;
  double share = communication > 0 ? recomputed.communication / communication : 0;
  return recomputed.sum() - hidden * share;
}

double SectionReductions::sum() const {
  double sum = 0;
  for (const Bucket &bucket : buckets)
    sum += bucket.seconds;
  return sum;
}

double StepCost::sum() const {
  double sum = reductions + gathers - hidden;
  for (const SectionCost &section : sections)
    sum += static_cast<double>(section.runs) * section.sum();
  return sum;
}

/// Collectives that are fused into one.
struct Bucket {
  machine::Traffic traffic;
  const machine::GroupLayout *group;
  double timeLeft; ///< from when its last gradient is ready
};

/// Groups reductions into buckets in the order in which their gradients become ready. A bucket has
/// reductions of one kind and one group of ranks.
static std::vector<Bucket> fillBuckets(ArrayRef<MovableCollective> reductions,
                                       const llvm::StringMap<double> &timesLeft,
                                       double bucketBytes) {
  std::vector<const MovableCollective *> order;
  for (const MovableCollective &reduction : reductions)
    order.push_back(&reduction);
  llvm::stable_sort(order, [&](auto *a, auto *b) {
    return timesLeft.lookup(a->gradient) > timesLeft.lookup(b->gradient);
  });
  std::vector<Bucket> buckets;
  for (const MovableCollective *reduction : order) {
    double timeLeft = timesLeft.lookup(reduction->gradient);
    auto fits = [&](const Bucket &bucket) {
      return bucket.traffic.kind == reduction->traffic.kind &&
             bucket.group->members == reduction->group.members &&
             bucket.traffic.bytes < bucketBytes;
    };
    auto open = llvm::find_if(buckets, fits);
    if (open == buckets.end()) {
      buckets.push_back({reduction->traffic, &reduction->group, timeLeft});
      continue;
    }
    open->traffic.bytes += reduction->traffic.bytes;
    open->timeLeft = timeLeft;
  }
  llvm::stable_sort(buckets, [](auto &a, auto &b) { return a.timeLeft > b.timeLeft; });
  return buckets;
}

/// Adds reductions that run one after the other, each as soon as its gradients are ready.
static void addReductions(StepCost &step, ArrayRef<MovableCollective> reductions,
                          const llvm::StringMap<double> &timesLeft, const CostContext &context) {
  double done = -std::numeric_limits<double>::infinity(); // seconds after the backward pass
  for (const Bucket &bucket : fillBuckets(reductions, timesLeft, context.options.bucketBytes)) {
    double seconds =
        machine::estimateCollectiveCost(context.cluster, *bucket.group, bucket.traffic).seconds;
    step.reductions += seconds;
    done = std::max(done, -bucket.timeLeft) + seconds;
  }
  if (context.options.hidesReductions)
    step.hidden += (step.reductions - std::max(0.0, done)) * context.getHiddenShare();
}

/// Adds the reductions of each section that returns gradients. Gradients that no section returns
/// form an entry without a section.
static void addSectionReductions(StepCost &step, ArrayRef<MovableCollective> reductions,
                                 const llvm::StringMap<double> &timesLeft,
                                 const llvm::StringMap<std::string> &sections,
                                 const CostContext &context) {
  llvm::MapVector<StringRef, std::vector<MovableCollective>> bySection;
  for (const MovableCollective &reduction : reductions) {
    auto section = sections.find(reduction.gradient);
    bySection[section == sections.end() ? "" : StringRef(section->second)].push_back(reduction);
  }
  for (const auto &[section, own] : bySection) {
    step.sectionReductions.push_back({section.str(), {}});
    for (const Bucket &bucket : fillBuckets(own, timesLeft, context.options.bucketBytes))
      step.sectionReductions.back().buckets.push_back(
          {bucket.timeLeft,
           machine::estimateCollectiveCost(context.cluster, *bucket.group, bucket.traffic)
               .seconds});
  }
}

static void addGathers(StepCost &step, ArrayRef<MovableCollective> gathers,
                       const CostContext &context) {
  for (const MovableCollective &gather : gathers)
    step.gathers +=
        machine::estimateCollectiveCost(context.cluster, gather.group, gather.traffic).seconds;
  double forward = 0;
  for (const SectionCost &section : step.sections)
    forward = std::max(forward, section.runs ? section.forward.sum() : 0);
  if (context.options.hidesReductions)
    step.hidden += std::min(step.gathers, forward) * context.getHiddenShare();
}

/// Returns the elements of the gradients that an update reads, before their reduction.
static double countGradients(func::FuncOp update) {
  double elements = 0;
  for (unsigned argument : graph::findArgs(update, graph::RoleKind::Gradient))
    elements += double(cast<ShapedType>(update.getArgumentTypes()[argument]).getNumElements());
  return elements;
}

int64_t countHeldBytes(func::FuncOp function, abi::ElementType activations) {
  int64_t bytes = 0;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    bytes += analysis::getNumBytes(type);
    graph::RoleAttr role = graph::getArgRole(function, index);
    bool isCopied = activations != abi::F32 && role && role.getKind() == graph::RoleKind::Gradient;
    if (isCopied)
      bytes += cast<ShapedType>(type).getNumElements() *
               static_cast<int64_t>(abi::elementBytes(activations));
  }
  return bytes;
}

/// Returns by how many standard deviations the greatest of `count` normal numbers is expected to
/// exceed their mean. Source: Blom, "Statistical estimates and transformed beta-variables", 1958.
static double expectGreatest(int64_t count) {
  double share = (double(count) - 0.375) / (double(count) + 0.25), low = -1, high = 40;
  while (high - low > 1e-6) {
    double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2)) / 2 < share ? low : high) = middle;
  }
  return low;
}

StepCost estimateStepCost(ModuleOp module, const abi::Cluster &cluster,
                          const CostOptions &options) {
  dist::Mesh mesh = dist::getMesh(module);
  CostContext context{cluster, mesh, options,
                      1 + options.system.spread * expectGreatest(machine::countDevices(cluster))};
  StepCost step;
  llvm::StringMap<double> timesLeft;
  llvm::StringMap<std::string> sections; // by the gradients that they return
  std::vector<MovableCollective> reductions, gathers;
  for (const analysis::Section &section : analysis::collectSections(module)) {
    bool isUpdate = !graph::findArgs(section.function, graph::RoleKind::Gradient).empty();
    SectionCostModel costModel(section, context,
                               isUpdate ? abi::F32 : options.precision.activations);
    SectionCost cost = costModel.cost();
    if (isUpdate)
      cost.forward.movement += (costModel.getUpdatedElements() * options.precision.updateBytes +
                                countGradients(section.function) * options.system.sumBytes) /
                               machine::memoryRate(cluster.device());
    step.heldBytes =
        std::max(step.heldBytes, countHeldBytes(section.function, options.precision.activations));
    if (section.runs)
      step.peakBytes = std::max(step.peakBytes, cost.liveBytes);
    step.sections.push_back(std::move(cost));
    llvm::append_range(reductions, costModel.getReductions());
    llvm::append_range(gathers, costModel.getGathers());
    for (const auto &entry : costModel.getTimesLeft()) {
      timesLeft[entry.getKey()] = entry.getValue();
      sections[entry.getKey()] = step.sections.back().name;
    }
  }
  step.peakBytes += step.heldBytes;
  addReductions(step, reductions, timesLeft, context);
  addSectionReductions(step, reductions, timesLeft, sections, context);
  addGathers(step, gathers, context);
  return step;
}

} // namespace pcc::plan
