// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseCollectives: decides which collectives of gradients and parameters are fused.
//
//   @update   0  all_reduce "w3"     kernel 0       one fused collective of 3 tensors, chosen by
//             1  all_reduce "w2"     kernel 0       the times at which gradients are complete and
//             2  all_reduce "w1"     kernel 0       by the cost of a collective
//             3  all_reduce "w0"     kernel 1
//
// Assumes kernels (AssignKernels) and actions in their order; nothing is hoisted yet
// (OverlapReductions). Leaves the members of a fused collective with one kernel number, and kernels
// in an executable order.
#include "passes/schedule/Passes.h"
#include "passes/schedule/collectives/FusionChoice.h"
#include "passes/schedule/collectives/FusionRecords.h"
#include "passes/schedule/order/KernelCostModel.h"

#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/solve/buckets/BucketRules.h"
#include "passes/solve/streams/StreamProblem.h"
#include <queue>
#include <set>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {

// Merges several kernels into one. The merged kernel runs in place of the last of them, or of the
// first if they need nothing that the section computes:
//
//   kernels          0 1 2 3 4 5     1 and 3 are joined; 2 reads 1
//   order            0 {1 3} 2 4 5

namespace {

/// Kernels that become one kernel.
struct JoinedKernels {
  llvm::SmallVector<int64_t> kernels; ///< ascending
  bool runsFirst = false;             ///< whether it runs in place of the first kernel
};

} // namespace

namespace {

/// Kernels that get one number.
struct Node {
  SmallVector<int64_t> kernels;
  int64_t place = 0; ///< preferred position
  std::set<int> before, behind;
};

} // namespace

static std::vector<Node> makeNodes(size_t count, ArrayRef<JoinedKernels> joined,
                                   const streams::StreamProblem &tasks) {
  std::vector<Node> nodes;
  std::vector<int> nodeOf(count, -1);
  auto add = [&](ArrayRef<int64_t> kernels, int64_t place) {
    for (int64_t kernel : kernels)
      nodeOf[kernel] = int(nodes.size());
    nodes.push_back({SmallVector<int64_t>(kernels), place, {}, {}});
  };
  for (const JoinedKernels &join : joined)
    add(join.kernels, join.runsFirst ? join.kernels.front() : join.kernels.back());
  for (int64_t kernel = 0; kernel < int64_t(count); ++kernel)
    if (nodeOf[kernel] < 0)
      add(kernel, kernel);
  for (int64_t kernel = 0; kernel < int64_t(count); ++kernel)
    for (int before : tasks.tasks[kernel].after)
      if (int from = nodeOf[before], to = nodeOf[kernel]; from != to) {
        nodes[from].behind.insert(to);
        nodes[to].before.insert(from);
      }
  return nodes;
}

/// Orders the nodes as close to their preferred positions as the dependences allow.
static std::vector<int> orderNodes(std::vector<Node> &nodes) {
  auto later = [&](int a, int b) { return nodes[a].place > nodes[b].place; };
  std::priority_queue<int, std::vector<int>, decltype(later)> ready(later);
  for (int node = 0; node < int(nodes.size()); ++node)
    if (nodes[node].before.empty())
      ready.push(node);
  std::vector<int> order;
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (int next : nodes[node].behind) {
      nodes[next].before.erase(node);
      if (nodes[next].before.empty())
        ready.push(next);
    }
  }
  assert(order.size() == nodes.size() && "joined kernels need each other");
  return order;
}

/// Renumbers the kernels of a function. No list of `joined` may depend on itself or on another list
/// through kernels between them, and a kernel must not be in two lists. `tasks` provides the
/// dependences.
static void joinKernels(func::FuncOp function, ArrayRef<analysis::Kernel> kernels,
                        const streams::StreamProblem &tasks, ArrayRef<JoinedKernels> joined) {
  std::vector<Node> nodes = makeNodes(kernels.size(), joined, tasks);
  Builder b(function.getContext());
  SmallVector<Attribute> forms;
  for (int node : orderNodes(nodes)) {
    for (int64_t kernel : nodes[node].kernels)
      for (Operation *op : kernels[kernel].ops) {
        op->setAttr(analysis::kernelAttrName, b.getI64IntegerAttr(forms.size()));
        op->removeAttr(task::doneAttrName); // names a kernel by its old number
      }
    forms.push_back(kernels[nodes[node].kernels.front()].form);
  }
  function->setAttr(analysis::formsAttrName, b.getArrayAttr(forms));
}

#define GEN_PASS_DEF_FUSECOLLECTIVES
#include "passes/schedule/Passes.h.inc"

/// Lists parameters in the order in which the step first uses them.
static llvm::SetVector<StringRef> listByFirstUse(MutableArrayRef<analysis::Section> sections) {
  llvm::SetVector<StringRef> names;
  for (analysis::Section &section : sections) {
    SmallVector<std::pair<Operation *, StringRef>> uses;
    for (BlockArgument argument : section.function.getArguments()) {
      RoleAttr role = section.getArgumentRole(argument.getArgNumber());
      Operation *first = nullptr;
      for (Operation *user : argument.getUsers())
        if (!first || user->isBeforeInBlock(first))
          first = user;
      if (first && role && role.getKind() == RoleKind::Parameter)
        uses.push_back({first, role.getName().getValue()});
    }
    llvm::stable_sort(uses, [](const auto &a, const auto &b) {
      return a.first != b.first && a.first->isBeforeInBlock(b.first);
    });
    for (auto [use, name] : uses)
      names.insert(name);
  }
  return names;
}

/// Returns MindSpore's buckets by size of a group's parameters. All-reduces count whole parameters,
/// gathers count the parts that are gathered, and scatters follow the gathers of the same
/// parameters. A parameter that the module does not declare is in no bucket.
static ReferenceBuckets findReferenceBuckets(ArrayRef<FusionGroup> groups, Operation *like,
                                             const llvm::SetVector<StringRef> &firstUses,
                                             int64_t megabytes) {
  llvm::StringMap<int64_t> sizes;
  for (const FusionGroup &group : groups)
    for (const FusionMember &member : group.members) {
      auto parameter =
          like->getParentOfType<ModuleOp>().lookupSymbol<ParameterOp>(member.parameter);
      if (member.op->getName() != like->getName() || !parameter)
        continue;
      Type type = isa<dist::AllReduceOp>(like)       ? parameter.getType()
                  : isa<dist::ReduceScatterOp>(like) ? member.op->getResult(0).getType()
                                                     : member.op->getOperand(0).getType();
      sizes[member.parameter] = task::bytesOf(analysis::getSumType(type));
    }
  SmallVector<StringRef> names;
  std::vector<int64_t> bytes;
  for (StringRef name : firstUses)
    if (auto size = sizes.find(name); size != sizes.end()) {
      names.push_back(name);
      bytes.push_back(size->second);
    }
  ReferenceBuckets numbers;
  buckets::Buckets buckets =
      buckets::fuseBySize(bytes, megabytes << 20, buckets::SizeRule::Reference);
  for (auto [number, bucket] : llvm::enumerate(buckets))
    for (int member : bucket)
      numbers[names[member]] = int(number);
  return numbers;
}

/// Returns the rule for `op`. MindSpore has no rule for scatters.
static const FusionRule &ruleOf(Operation *op, const CommFusion &rules, bool byReference) {
  if (isa<dist::AllReduceOp>(op))
    return rules.allReduce;
  return isa<dist::AllGatherOp>(op) || byReference ? rules.allGather : rules.reduceScatter;
}

/// Returns the exposed time in microseconds. Ignores the limit, which buckets requested by the user
/// may exceed.
static double exposed(buckets::BucketProblem problem, const buckets::Buckets &buckets) {
  problem.limit = 0;
  return buckets::verify(problem, buckets).exposed * 1e6;
}

namespace {
struct FuseCollectives : impl::FuseCollectivesBase<FuseCollectives> {
  using FuseCollectivesBase::FuseCollectivesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!analysis::getStep(module))
      return;
    abi::Expected<CommFusion> parsed = parseCommFusion(commFusion, allReduceConfig);
    if (!parsed) {
      module.emitError() << parsed.status().message();
      return signalPassFailure();
    }
    FailureOr<abi::Cluster> machine =
        getAnalysis<analysis::ClusterAnalysis>().get(countDevices(module));
    if (failed(machine))
      return signalPassFailure();
    rules = *parsed;
    for (auto function : module.getOps<func::FuncOp>())
      function->removeAttr(analysis::hoistedAttrName);
    StepKernels step(module);
    StepTimes times(module, step, *machine);
    GradientReadyPoints gradients(module);
    for (analysis::Section &section : step.getSections()) {
      SmallVector<analysis::Kernel> kernels = analysis::collectKernels(section.function);
      FusionCostModel costModel(section, kernels, times, gradients, *machine, hides, limit);
      fuse(section, kernels, step.getSections(), times, costModel);
    }
  }

  /// Chooses the buckets of one section's groups, and joins their kernels.
  void fuse(analysis::Section &section, ArrayRef<analysis::Kernel> kernels,
            MutableArrayRef<analysis::Section> sections, const StepTimes &times,
            const FusionCostModel &costModel) {
    const streams::StreamProblem &tasks = times.tasksOf(section.function.getName());
    SmallVector<JoinedKernels> joined;
    SmallVector<FusionGroup> groups = findFusionGroups(section, kernels, tasks);
    for (const FusionGroup &group : groups) {
      Operation *op = group.members.front().op;
      const FusionRule &rule = ruleOf(op, rules, byReference);
      ReferenceBuckets reference;
      bool isReference = rule.mode == FusionMode::Size && byReference;
      if (isReference)
        reference = findReferenceBuckets(groups, op, listByFirstUse(sections), rule.megabytes);
      GroupProblem built = costModel.buildProblem(group);
      buckets::Buckets buckets =
          chooseBuckets(built, group, rule, isReference ? &reference : nullptr);
      report(section, group, built.problem, buckets);
      for (const std::vector<int> &bucket : buckets) {
        JoinedKernels join{{}, group.use == FusionUse::Source};
        for (int gradient : bucket)
          join.kernels.push_back(group.members[built.members[gradient]].kernel);
        llvm::sort(join.kernels);
        if (join.kernels.size() > 1)
          joined.push_back(std::move(join));
      }
    }
    if (!joined.empty())
      joinKernels(section.function, kernels, tasks, joined);
  }

  void report(analysis::Section &section, const FusionGroup &group,
              const buckets::BucketProblem &problem, const buckets::Buckets &buckets) {
    Operation *op = group.members.front().op;
    int count = int(problem.gradients.size());
    remark::passed(section.function.getLoc(), remark::RemarkOpts::name("fuse-collectives")
                                                  .category("schedule")
                                                  .function(section.function.getName()))
        << remark::metric("kind", op->getName().stripDialect())
        << remark::metric("collectives", int64_t(count))
        << remark::metric("messages", int64_t(buckets.size()))
        << remark::metric("exposed_us", exposed(problem, buckets))
        << remark::metric("each_us", exposed(problem, buckets::fuseNone(count)))
        << remark::metric("all_us", exposed(problem, buckets::fuseAll(count)));
    if (records)
      addFusionRecord({section.function, op->getName().stripDialect().str(), problem, buckets});
  }

  CommFusion rules;
};
} // namespace
} // namespace pcc::schedule
