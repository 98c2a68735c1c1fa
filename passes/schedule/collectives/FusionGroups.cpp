// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups collectives by a key of everything that must be equal. A search through operands and users
// finds the parameter of a collective. It is known if one gradient reaches the collective, or if
// one parameter depends on it.
#include "passes/schedule/collectives/FusionChoice.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {
namespace {

using Names = llvm::SmallSetVector<StringRef, 2>;

/// Op name, group, type, reduction, depth, use, number or -1.
using Key = std::tuple<OperationName, Attribute, Type, Attribute, int64_t, int64_t, int64_t>;

class GroupFinder {
public:
  GroupFinder(analysis::Section &section, ArrayRef<analysis::Kernel> kernels,
              const streams::StreamProblem &tasks)
      : section(section), kernels(kernels), tasks(tasks) {}

  SmallVector<FusionGroup> find();

private:
  void countDepths();
  void add(const analysis::Kernel &kernel);
  Names findBefore(Operation *op, RoleKind kind) const;
  Names findBehind(Operation *op, RoleKind kind);
  std::optional<FusionUse> findUse(Operation *op, std::string &parameter);
  std::optional<int64_t> findNumber(Operation *op, StringRef parameter) const;

  analysis::Section &section;
  ArrayRef<analysis::Kernel> kernels;
  const streams::StreamProblem &tasks;
  std::vector<int64_t> depths; ///< by kernel: maximum number of collectives on a path to it
  llvm::MapVector<Key, FusionGroup> groups;
};

} // namespace

void GroupFinder::countDepths() {
  for (const analysis::Kernel &kernel : kernels) {
    int64_t depth = 0;
    for (int before : tasks.tasks[kernel.number].after) {
      bool isCollective = kernels[before].form.getKind() == task::FormKind::Collective;
      depth = std::max(depth, depths[before] + isCollective);
    }
    depths.push_back(depth);
  }
}

/// Returns the names of the arguments of this role that `op` depends on.
Names GroupFinder::findBefore(Operation *op, RoleKind kind) const {
  Names names;
  SetVector<Value> seen;
  seen.insert(op->operand_begin(), op->operand_end());
  for (size_t next = 0; next < seen.size(); ++next) {
    if (auto argument = dyn_cast<BlockArgument>(seen[next])) {
      RoleAttr role = section.getArgumentRole(argument.getArgNumber());
      if (role && role.getKind() == kind)
        names.insert(role.getName().getValue());
    } else {
      Operation *producer = seen[next].getDefiningOp();
      seen.insert(producer->operand_begin(), producer->operand_end());
    }
  }
  return names;
}

/// Returns the names of the results of this role that depend on `op`.
Names GroupFinder::findBehind(Operation *op, RoleKind kind) {
  Names names;
  SetVector<Operation *> seen;
  seen.insert(op);
  for (size_t next = 0; next < seen.size(); ++next)
    for (OpOperand &use : seen[next]->getUses()) {
      if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>()) {
        seen.insert(use.getOwner());
        continue;
      }
      RoleAttr role = section.getResultRole(use.getOperandNumber());
      if (role && role.getKind() == kind)
        names.insert(role.getName().getValue());
    }
  return names;
}

/// Returns the purpose of the collective, or nullopt if it belongs to neither gradients nor
/// parameters.
std::optional<FusionUse> GroupFinder::findUse(Operation *op, std::string &parameter) {
  bool gathers = isa<dist::AllGatherOp>(op);
  auto isOfOne = [&](const Names &names) {
    if (names.size() == 1)
      parameter = names[0].str();
    return names.size() == 1;
  };
  bool readsGradients = !findArgs(section.function, RoleKind::Gradient).empty();
  if (readsGradients) { // an update
    isOfOne(gathers ? findBehind(op, RoleKind::Parameter) : findBefore(op, RoleKind::Gradient));
    return FusionUse::Result;
  }
  if (gathers && isa<BlockArgument>(analysis::viewRoot(op->getOperand(0))) &&
      isOfOne(findBefore(op, RoleKind::Parameter)))
    return FusionUse::Source;
  for (OpOperand &use : op->getUses())
    if (use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      if (RoleAttr role = section.getResultRole(use.getOperandNumber());
          role && role.getKind() == RoleKind::Gradient) {
        parameter = role.getName().str();
        return FusionUse::Result;
      }
  return std::nullopt;
}

/// Returns the number that a user gave to the collective or to the parameter.
std::optional<int64_t> GroupFinder::findNumber(Operation *op, StringRef parameter) const {
  auto numberOf = [](Operation *marked) -> std::optional<int64_t> {
    auto number = marked ? marked->getAttrOfType<IntegerAttr>(dist::fusionAttrName) : IntegerAttr();
    return number ? std::optional(number.getInt()) : std::nullopt;
  };
  if (std::optional<int64_t> own = numberOf(op))
    return own;
  auto module = section.function->getParentOfType<ModuleOp>();
  return parameter.empty() ? std::nullopt : numberOf(module.lookupSymbol(parameter));
}

void GroupFinder::add(const analysis::Kernel &kernel) {
  Operation *op = kernel.ops.front();
  if (kernel.ops.size() > 1 ||
      !isa<dist::AllReduceOp, dist::AllGatherOp, dist::ReduceScatterOp>(op))
    return;
  FusionMember member{kernel.number, op, {}};
  std::optional<FusionUse> use = findUse(op, member.parameter);
  std::optional<int64_t> number = findNumber(op, member.parameter);
  if ((!use && !number) || number == 0)
    return;
  Attribute group = cast<dist::CollectiveOpInterface>(op).getGroupAttr();
  Type type = cast<ShapedType>(op->getOperand(0).getType()).getElementType();
  FusionGroup &found =
      groups[{op->getName(), group, type, op->getAttr("kind"), depths[kernel.number],
              int64_t(use.value_or(FusionUse::Result)), number.value_or(-1)}];
  found.use = use.value_or(FusionUse::Result);
  found.number = number;
  found.members.push_back(std::move(member));
}

SmallVector<FusionGroup> GroupFinder::find() {
  countDepths();
  for (const analysis::Kernel &kernel : kernels)
    if (kernel.form.getKind() == task::FormKind::Collective)
      add(kernel);
  SmallVector<FusionGroup> found;
  for (auto &[key, group] : groups)
    found.push_back(std::move(group));
  return found;
}

SmallVector<FusionGroup> findFusionGroups(analysis::Section &section,
                                          ArrayRef<analysis::Kernel> kernels,
                                          const streams::StreamProblem &tasks) {
  return GroupFinder(section, kernels, tasks).find();
}

} // namespace pcc::schedule
