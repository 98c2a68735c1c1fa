// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of requests. Each clause states a fact: what the reader's factor rule allows, or a reason
// that the strategy has recorded for a mesh axis.
#include "passes/partition/ReshardRequests.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::analysis::quote;
using pcc::analysis::Reasons;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::partition {
namespace {

/// Returns the axes of `list` that `other` lacks.
AxisList subtract(const AxisList &list, const AxisList &other) {
  AxisList rest;
  for (const std::string &axis : list)
    if (!llvm::is_contained(other, axis))
      rest.push_back(axis);
  return rest;
}

/// Clauses of one sentence. Equal clauses occur once.
class Clauses {
public:
  void add(std::string clause) {
    if (!clause.empty() && !llvm::is_contained(list, clause))
      list.push_back(std::move(clause));
  }
  /// Adds what `why` says about each of `axes`, after `what` and the axis.
  void addAxes(StringRef what, const AxisList &axes, const Reasons &why) {
    if (why.isWhole())
      return add(why.str());
    for (const std::string &axis : axes)
      if (std::string reason = why.describe(axis); !reason.empty())
        add((what + " " + quote(axis) + ": " + reason).str());
  }
  std::string str() const { return llvm::join(list, "; "); }
  bool isEmpty() const { return list.empty(); }

private:
  std::vector<std::string> list;
};

/// Explains the parts of `held` that differ from `wanted`.
std::string explainHeld(Value value, const Sharding &held, const Sharding &wanted) {
  Reasons why = Reasons::ofValue(value);
  Clauses clauses;
  clauses.addAxes("partial over", subtract(held.getPartialAxes(), wanted.getPartialAxes()), why);
  for (auto [axes, other] : llvm::zip_equal(held.getDims(), wanted.getDims()))
    clauses.addAxes("split along", subtract(axes, other), why);
  return clauses.str();
}

/// Explains what one op wants of an operand.
class OperandExplainer {
public:
  OperandExplainer(OpOperand &use, const Sharding &held, const Sharding &wanted)
      : op(use.getOwner()), operand(use.getOperandNumber()), held(held), wanted(wanted),
        why(Reasons::read(op->getLoc())) {
    if (auto ruled = dyn_cast<FactorRuleOpInterface>(op))
      rule = ruled.getFactorRule();
  }

  std::string explain() {
    explainSum();
    for (int64_t dim = 0; dim < wanted.getRank(); ++dim)
      explainDim(dim);
    if (clauses.isEmpty())
      clauses.add(why.str());
    return clauses.str();
  }

private:
  void explainSum() {
    AxisList summed = subtract(held.getPartialAxes(), wanted.getPartialAxes());
    clauses.addAxes("partial over", subtract(wanted.getPartialAxes(), held.getPartialAxes()), why);
    if (summed.empty())
      return;
    auto passes = [&](const LinearSet &set) {
      return set.kind == held.getPartialKind() && llvm::is_contained(set.operands, operand);
    };
    std::string name = stringify(held.getPartialKind()).str();
    if (!rule)
      return;
    if (llvm::none_of(rule->getLinear(), passes))
      clauses.add("its factor rule lets no partial " + name + " of operand " +
                  std::to_string(operand) + " pass to its result");
    else if (!why.isWhole())
      clauses.add("it takes the complete " + name +
                  ", since a partial one would not save communication");
  }

  void explainDim(int64_t dim) {
    const AxisList &axes = wanted.getDim(dim);
    AxisList lost = subtract(held.getDim(dim), axes);
    clauses.addAxes("split along", subtract(axes, held.getDim(dim)), why);
    if (lost.empty())
      return;
    if (mustKeepWhole(dim))
      return clauses.add("its factor rule keeps dimension " + std::to_string(dim) + " whole");
    AxisList unused; // an axis that cuts another dimension is explained there
    for (const std::string &axis : lost)
      if (!wanted.uses(axis))
        unused.push_back(axis);
    if (!unused.empty() && !why.isWhole())
      clauses.add("it takes the cheapest split that its neighbors suggest, which does not use " +
                  quote(llvm::join(unused, ".")) + (why.isEmpty() ? "" : " (" + why.str() + ")"));
  }

  /// Whether the rule lets no factor of the dimension be split.
  bool mustKeepWhole(int64_t dim) const {
    if (!rule)
      return false;
    const DimFactors &factors = rule->getOperands()[operand][dim];
    return llvm::none_of(
        factors, [&](unsigned factor) { return analysis::isSplittable(op, *rule, factor); });
  }

  Operation *op;
  unsigned operand;
  const Sharding &held, &wanted;
  Reasons why;
  std::optional<FactorRule> rule;
  Clauses clauses;
};

/// Returns the reasons of a result: those of the argument that takes it in another run, which is
/// the parameter, or the gradient of the update.
Reasons findReasons(func::FuncOp function, graph::RoleAttr role) {
  if (role)
    for (func::FuncOp other : function->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
      if (auto argument = graph::findArg(other, role.getKind(), graph::getName(role));
          argument && !other.isDeclaration())
        return Reasons::ofValue(other.getArgument(*argument));
  return {};
}

/// Explains the sharding of a function's result.
void explainResult(OpOperand &use, const Sharding &held, const Sharding &wanted,
                   analysis::Request &request) {
  auto function = cast<func::FuncOp>(use.getOwner()->getParentOp());
  unsigned index = use.getOperandNumber();
  graph::RoleAttr role = graph::getResultRole(function, index);
  StringRef name = graph::getName(role);
  request.reader = role ? graph::stringifyRoleKind(role.getKind()).str() : "result";
  if (!name.empty())
    request.reader += " " + quote(name);
  Clauses clauses;
  Reasons why = findReasons(function, role);
  if (role && role.getKind() == graph::RoleKind::Parameter)
    clauses.add("the new value is kept in the sharding of the parameter");
  else if (role && role.getKind() == graph::RoleKind::Output)
    clauses.add("an output of the program is no partial sum");
  for (auto [axes, other] : llvm::zip_equal(wanted.getDims(), held.getDims()))
    clauses.addAxes("split along", subtract(axes, other), why);
  if (clauses.isEmpty() || why.isWhole())
    clauses.add(why.str());
  request.toReason = clauses.str();
}

} // namespace

analysis::Request makeRequest(OpOperand &use, const Sharding &held, const Sharding &wanted) {
  analysis::Request request;
  request.value = analysis::describeValue(use.get());
  request.from = held.str();
  request.to = wanted.str();
  request.fromReason = explainHeld(use.get(), held, wanted);
  Operation *op = use.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    explainResult(use, held, wanted, request);
    return request;
  }
  request.reader = quote(analysis::getName(op));
  request.readerLocation = analysis::findSourceLocation(op->getLoc());
  request.toReason = OperandExplainer(use, held, wanted).explain();
  return request;
}

analysis::Request makeLocalRequest(Operation *op) {
  analysis::Request request;
  request.value = quote(analysis::getName(op));
  request.reader = request.value;
  request.readerLocation = analysis::findSourceLocation(op->getLoc());
  Clauses clauses;
  clauses.add("its ranks compute it together");
  clauses.add(Reasons::read(op->getLoc()).str());
  request.toReason = clauses.str();
  return request;
}

} // namespace pcc::partition
