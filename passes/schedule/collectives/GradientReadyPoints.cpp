// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits sections in the order of first runs, and records for each gradient its last action and
// kernel. Points of later kernels are the maximum over their operands. All points are moved behind
// the last collective that a send needs.
#include "passes/schedule/collectives/GradientReadyPoints.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "passes/schedule/order/SendDependencies.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {

GradientReadyPoints::GradientReadyPoints(ModuleOp module) {
  pipe::StepOp step = analysis::getStep(module);
  if (!step)
    return;
  llvm::StringMap<int64_t> lastActions;
  int64_t position = 0;
  for (auto action : step.getBody().front().getOps<pipe::ActionOp>())
    lastActions[action.getSection()] = position++;
  for (analysis::Section &section : analysis::collectSections(module)) {
    if (section.runs == 0 || !graph::findArgs(section.function, RoleKind::Gradient).empty())
      continue;
    int64_t action = lastActions.lookup(section.function.getName());
    keepAfterSendDependencies(section, action);
    for (unsigned result = 0; result < section.function.getNumResults(); ++result)
      add(section, result, action);
  }
}

void GradientReadyPoints::keepAfterSendDependencies(analysis::Section &section, int64_t action) {
  SmallVector<analysis::Kernel> kernels = analysis::collectKernels(section.function);
  auto list = llvm::map_to_vector(
      kernels, [](const analysis::Kernel &kernel) -> const analysis::Kernel * { return &kernel; });
  if (int last = findSendDependencies(list).find_last(); last >= 0)
    sent = std::max(sent, StepPoint{action, section.function.getName(), kernels[last].number});
}

/// Returns the kernel behind which the value is complete. A value that is not summed stays where it
/// was computed, and its reduction over the ranks may overwrite it. In this case returns its last
/// reader.
static int64_t lastKernelOf(Value value, bool isSummed) {
  if (isSummed)
    return analysis::findAddition(value);
  Value root = analysis::viewRoot(value);
  Operation *op = root.getDefiningOp();
  int64_t last = op ? analysis::getKernelNumber(op).value_or(-1) : -1;
  analysis::forEachReader(root, [&](Operation *reader) {
    last = std::max(last, analysis::getKernelNumber(reader).value_or(-1));
  });
  return last;
}

void GradientReadyPoints::add(analysis::Section &section, unsigned result, int64_t action) {
  RoleAttr role = section.getResultRole(result);
  bool isWhole = section.runs == 1 || section.endsSum(result);
  if (role && role.getKind() == RoleKind::Gradient && isWhole)
    points[role] = {action, section.function.getName(),
                    lastKernelOf(section.getReturned()[result], section.isAccumulated(result))};
}

std::optional<StepPoint> GradientReadyPoints::find(RoleAttr role) const {
  auto known = points.find(role);
  return known == points.end() ? std::nullopt : std::optional(std::max(known->second, sent));
}

/// Whether the kernel may run in another section. Messages and barriers keep their order. After an
/// all-reduce, the axes over which a gradient is still partial must be known.
static bool mayRunElsewhere(const analysis::Kernel &kernel) {
  return llvm::all_of(kernel.ops, [](Operation *op) {
    if (!analysis::isCollective(op))
      return true;
    if (!isa<dist::CollectiveOpInterface>(op) || op->getNumOperands() != 1)
      return false;
    auto reduce = dyn_cast<dist::AllReduceOp>(op);
    bool isOverAxes =
        reduce && (!reduce.getGroupAttr() || reduce.getGroupAttr().getRanks().empty());
    return !reduce || (isOverAxes && reduce.getKind() == ReduceKind::Sum);
  });
}

std::optional<StepPoint> GradientReadyPoints::pointOf(analysis::Section &section, Value value,
                                                      StepPoints before) const {
  Value root = analysis::viewRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    RoleAttr role = section.getArgumentRole(argument.getArgNumber());
    return role ? find(role) : std::nullopt;
  }
  std::optional<int64_t> number = analysis::getKernelNumber(root.getDefiningOp());
  return number ? before[*number] : StepPoint();
}

SmallVector<std::optional<StepPoint>>
GradientReadyPoints::findKernelPoints(analysis::Section &section,
                                      ArrayRef<analysis::Kernel> kernels) const {
  SmallVector<std::optional<StepPoint>> found;
  for (const analysis::Kernel &kernel : kernels) {
    std::optional<StepPoint> point;
    if (mayRunElsewhere(kernel))
      point = StepPoint();
    for (Value input : kernel.inputs) {
      std::optional<StepPoint> from = pointOf(section, input, found);
      point = point && from ? std::optional(std::max(*point, *from)) : std::nullopt;
    }
    found.push_back(point);
  }
  return found;
}

} // namespace pcc::schedule
