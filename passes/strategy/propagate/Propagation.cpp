// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixpoint runs in passes over all ops. The rules are tried in order of priority, and any
// change starts again with the first rule. The forms of each value are kept sorted by their first
// users, so the wanted sharding is found at once.
#include "passes/strategy/propagate/Propagation.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/reshard/ReshardPlan.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/propagate/OpSharding.h"

using namespace mlir;
using namespace pcc;
using pcc::analysis::Reasons;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {

StringRef stringify(Origin origin) {
  switch (origin) {
  case Origin::Given:
    return "given";
  case Origin::Searched:
    return "searched";
  case Origin::Trained:
    return "trained";
  case Origin::Forwards:
    return "forwards";
  case Origin::Backwards:
    return "backwards";
  case Origin::Unreached:
    return "whole";
  }
  return "";
}

/// Lists the ops with a factor rule; propagation ignores all other ops.
static auto listOps(func::FuncOp function) {
  return llvm::make_filter_range(function.getBody().front(),
                                 [](Operation &op) { return isa<FactorRuleOpInterface>(op); });
}

Propagation::Propagation(func::FuncOp function, analysis::ReshardPlanCache &planCache)
    : function(function), planCache(planCache), mesh(planCache.getMesh()) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()); type && type.getRank() == 0)
      free.insert(argument);
  for (unsigned index : graph::findArgs(function, graph::RoleKind::Parameter)) {
    free.insert(function.getArgument(index));
    parameters[graph::getName(graph::getArgRole(function, index))] = function.getArgument(index);
  }
  for (Operation &op : listOps(function))
    if (llvm::all_of(op.getOperands(), [&](Value operand) { return free.contains(operand); }))
      free.insert(op.result_begin(), op.result_end());
}

void Propagation::seed(BlockArgument argument, const Sharding &sharding, Reasons why) {
  values[argument] = analysis::dropTrivialAxes(sharding, mesh);
  reasons[argument] = std::move(why);
}

void Propagation::seed(Operation *op, ArrayRef<AxisList> factors, ArrayRef<Sharding> results,
                       Reasons why) {
  record(op, OpSplitter(op, planCache).follow(factors), Origin::Given, std::move(why));
  setUserSharding(op, results);
}

void Propagation::seed(Operation *op, OpSharding sharding, ArrayRef<Sharding> results,
                       Origin origin, Reasons why) {
  exact.insert(op);
  record(op, std::move(sharding), origin, std::move(why));
  setUserSharding(op, results);
}

void Propagation::setUserSharding(Operation *op, ArrayRef<Sharding> results) {
  for (auto [result, sharding] : llvm::zip(op->getResults(), results))
    userShardings[result] = analysis::dropTrivialAxes(sharding, mesh);
}

void Propagation::record(Operation *op, OpSharding sharding, Origin origin, Reasons why) {
  for (auto [result, cut] : llvm::zip_equal(op->getResults(), sharding.results)) {
    values[result] = cut;
    reasons[result] = why;
  }
  auto [decision, isNew] = ops.try_emplace(op);
  decision->second = {std::move(sharding), origin};
  updateForms(op, isNew);
}

const OpSharding *Propagation::find(Operation *op) const {
  auto decision = ops.find(op);
  return decision == ops.end() ? nullptr : &decision->second.sharding;
}

Sharding Propagation::getSharding(Value value) const {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return Sharding::replicated(type ? type.getRank() : 0);
}

Sharding Propagation::getUserSharding(Value value) const {
  auto found = userShardings.find(value);
  return found == userShardings.end() ? getSharding(value) : found->second;
}

std::optional<Sharding> Propagation::findHint(Value value) const {
  if (isKnown(value))
    return getUserSharding(value);
  auto found = hints.find(value);
  if (found == hints.end())
    return std::nullopt;
  return found->second;
}

static bool comesBefore(OpOperand *lhs, OpOperand *rhs) {
  return lhs->getOwner() == rhs->getOwner() ? lhs->getOperandNumber() < rhs->getOperandNumber()
                                            : lhs->getOwner()->isBeforeInBlock(rhs->getOwner());
}

void Propagation::addForm(OpOperand &use, const Sharding &sharding) {
  std::vector<Form> &known = forms[use.get()];
  auto found = llvm::find_if(known, [&](const Form &form) { return form.sharding == sharding; });
  if (found == known.end())
    known.push_back({sharding, &use});
  else if (comesBefore(&use, found->first))
    found->first = &use;
  else
    return;
  llvm::sort(known,
             [](const Form &lhs, const Form &rhs) { return comesBefore(lhs.first, rhs.first); });
}

/// Recomputes all forms of the operands if a decision replaces another one, which is rare.
void Propagation::updateForms(Operation *op, bool isNew) {
  auto add = [&](OpOperand &use) {
    if (auto found = ops.find(use.getOwner()); found != ops.end())
      addForm(use, found->second.sharding.operands[use.getOperandNumber()]);
  };
  if (isNew) {
    for (OpOperand &operand : op->getOpOperands())
      add(operand);
    return;
  }
  for (Value operand : op->getOperands()) {
    forms.erase(operand);
    for (OpOperand &use : operand.getUses())
      add(use);
  }
}

std::vector<Propagation::Form> Propagation::listForms(Value value) const {
  std::vector<Form> others;
  if (auto found = forms.find(value); found != forms.end())
    for (const Form &form : found->second)
      if (form.sharding != getUserSharding(value))
        others.push_back(form);
  return others;
}

std::vector<Propagation::WantedSharding> Propagation::listWanted(Value value) const {
  std::vector<WantedSharding> wanted;
  auto found = forms.find(value);
  if (found == forms.end())
    return wanted;
  for (const Form &form : found->second) {
    Sharding sharding = form.sharding.withoutPartial();
    if (llvm::none_of(wanted,
                      [&](const WantedSharding &other) { return other.sharding == sharding; }))
      wanted.push_back({std::move(sharding), form.first});
  }
  return wanted;
}

/// Follows a value through ops that change its elements one by one, such as the scale of a
/// gradient. Stops where the value has several readers.
static Value followElementwise(Value value) {
  while (value.hasOneUse()) {
    Operation *reader = *value.user_begin();
    if (reader->getNumResults() != 1 || !isa<FactorRuleOpInterface>(reader) ||
        analysis::classOf(reader) != analysis::OpClass::Elementwise ||
        cast<ShapedType>(reader->getResult(0).getType()).getShape() !=
            cast<ShapedType>(value.getType()).getShape())
      break;
    value = reader->getResult(0);
  }
  return value;
}

std::optional<Propagation::WantedSharding> Propagation::findParameter(Value value) const {
  for (OpOperand &use : followElementwise(value).getUses()) {
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    graph::RoleAttr role = graph::getResultRole(function, use.getOperandNumber());
    if (!role || role.getKind() != graph::RoleKind::Gradient)
      continue;
    auto parameter = parameters.find(graph::getName(role));
    if (parameter != parameters.end() && isKnown(parameter->second))
      return WantedSharding{getSharding(parameter->second), nullptr, parameter->second};
  }
  return std::nullopt;
}

OpSplitter Propagation::makeSplitter(Operation *op, ArrayRef<WantedSharding> wanted) const {
  OpSplitter splitter(op, planCache);
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<Sharding> hint = findHint(operand.get())) {
      std::vector<Sharding> shardings;
      for (Form &form : listForms(operand.get()))
        shardings.push_back(std::move(form.sharding));
      splitter.setOperand(operand.getOperandNumber(), *hint, shardings);
    }
  for (const WantedSharding &each : wanted)
    splitter.addWanted(each.sharding);
  if (llvm::all_of(op->getUses(), [&](OpOperand &use) {
        return use.getOwner()->hasTrait<OpTrait::IsTerminator>() &&
               staysPartial(function, use.getOperandNumber());
      }))
    splitter.leavePartial();
  return splitter;
}

/// States in `why` that `axis` is used as `use` reads its value.
void Propagation::followUse(StringRef axis, OpOperand &use, Reasons &why) const {
  Operation *reader = use.getOwner();
  why.follow(axis, "its reader '" + analysis::getName(reader) + "'",
             reader->getNumResults() > 0 ? getReasons(reader->getResult(0)) : Reasons(),
             reader->getContext());
}

/// Returns the reasons of a split: for each axis the neighbor that it comes from.
Reasons Propagation::explain(Operation *op, const OpSplit &split,
                             ArrayRef<WantedSharding> wanted) const {
  Reasons why;
  for (const Contribution &contribution : split.contributions) {
    Value leader;
    OpOperand *use = nullptr;
    if (contribution.operand) {
      leader = op->getOperand(*contribution.operand);
      use = contribution.form ? listForms(leader)[*contribution.form].first : nullptr;
    } else {
      leader = wanted[*contribution.form].parameter;
      use = wanted[*contribution.form].use;
    }
    for (const std::string &axis : contribution.axes)
      if (use)
        followUse(axis, *use, why);
      else
        why.follow(axis, analysis::describeValue(leader), getReasons(leader), op->getContext());
  }
  return why;
}

void Propagation::decide(Operation *op, const OpSplitter &splitter, ArrayRef<WantedSharding> wanted,
                         Origin origin) {
  OpSplit split = splitter.choose();
  Reasons why = explain(op, split, wanted);
  record(op, std::move(split.sharding), origin, std::move(why));
}

/// Computes, before any user is considered, the shardings that split parameters imply for the
/// values computed from them.
void Propagation::spreadHints() {
  for (Operation &op : listOps(function)) {
    bool isHinted = llvm::any_of(op.getOperands(), [&](Value operand) {
      std::optional<Sharding> hint = findHint(operand);
      return hint && hint->isSplit();
    });
    if (!isHinted || ops.contains(&op) || !free.contains(op.getResult(0)))
      continue;
    OpSplit split = makeSplitter(&op).choose();
    for (auto [result, cut] : llvm::zip_equal(op.getResults(), split.sharding.results)) {
      hints[result] = cut;
      reasons[result] = explain(&op, split, {});
    }
  }
}

bool Propagation::isReady(Operation *op, Needed needed) const {
  if (ops.contains(op) || free.contains(op->getResult(0)))
    return false;
  auto isUnknown = [&](Value operand) { return !free.contains(operand) && !isKnown(operand); };
  auto leads = [&](Value operand) {
    std::optional<Sharding> hint = findHint(operand);
    if (!hint)
      return false;
    return hint->isSplit() || (!free.contains(operand) && (!needed.cut || hint->isPartial()));
  };
  return llvm::any_of(op->getOperands(), leads) &&
         (!needed.all || llvm::none_of(op->getOperands(), isUnknown));
}

bool Propagation::propagateForwards(Needed needed) {
  bool changed = false;
  for (Operation &op : listOps(function)) {
    if (!isReady(&op, needed))
      continue;
    Value result = op.getResult(0);
    std::vector<WantedSharding> wanted = listWanted(result);
    if (wanted.empty())
      if (std::optional<WantedSharding> parameter = findParameter(result))
        wanted.push_back(*parameter);
    decide(&op, makeSplitter(&op, wanted), wanted, Origin::Forwards);
    changed = true;
  }
  return changed;
}

bool Propagation::propagateBackwards(bool onlyFree) {
  bool changed = false;
  for (Operation &op : llvm::reverse(listOps(function))) {
    if (ops.contains(&op) || (onlyFree && !free.contains(op.getResult(0))))
      continue;
    std::vector<WantedSharding> wanted = listWanted(op.getResult(0));
    if (wanted.empty())
      continue;
    decide(&op, makeSplitter(&op, wanted), wanted, Origin::Backwards);
    changed = true;
  }
  for (BlockArgument argument : function.getArguments())
    if (!onlyFree || free.contains(argument))
      changed |= propagateBackwardsTo(argument);
  return changed;
}

bool Propagation::propagateBackwardsTo(BlockArgument argument) {
  if (isKnown(argument))
    return false;
  std::vector<WantedSharding> wanted = listWanted(argument);
  if (wanted.empty())
    return false;
  const WantedSharding &first = wanted.front();
  values[argument] = first.sharding;
  for (const std::string &axis : first.sharding.getSplitAxes())
    followUse(axis, *first.use, reasons[argument]);
  return true;
}

void Propagation::run() {
  propagateBackwards(/*onlyFree=*/true); // parameters of given ops, which other ops use as well
  spreadHints();
  while (propagateForwards({.all = true, .cut = true}) || propagateBackwards(/*onlyFree=*/true) ||
         propagateBackwards(/*onlyFree=*/false) || propagateForwards({.cut = true}) ||
         propagateForwards({.all = true}) || propagateForwards({}))
    continue;
}

void Propagation::finish() {
  for (Operation &op : listOps(function))
    if (!ops.contains(&op))
      decide(&op, makeSplitter(&op), {}, Origin::Unreached);
  while (sumUnjoined()) // summing one value earlier may leave another one without a partner
    continue;
}

bool staysPartial(func::FuncOp function, unsigned result) {
  graph::RoleAttr role = graph::getResultRole(function, result);
  return !role || role.getKind() == graph::RoleKind::Loss ||
         role.getKind() == graph::RoleKind::Gradient;
}

/// Sums partial values that are carried without a benefit; returns whether there were any. A
/// partial sum may pass an op beside a complete value, which then enters once. That pays only if
/// the partial sum joins another one later, so that both are reduced together. Otherwise it is
/// summed before it meets the first complete value.
bool Propagation::sumUnjoined() {
  CarriedSums sums;
  for (Operation &op : listOps(function)) {
    const OpSharding &sharding = ops.find(&op)->second.sharding;
    for (OpOperand &operand : op.getOpOperands())
      sums.visitUse(operand.get(), sharding.operands[operand.getOperandNumber()].isPartial());
    sums.visitOp(&op, sharding, [&](Value value) { return getUserSharding(value).isPartial(); });
  }
  for (OpOperand &result : function.getBody().front().getTerminator()->getOpOperands())
    sums.visitUse(result.get(), staysPartial(function, result.getOperandNumber()));
  bool changed = false;
  for (Operation &op : listOps(function)) {
    if (!sums.isUnjoined(&op) || exact.contains(&op))
      continue;
    OpSplitter splitter = makeSplitter(&op);
    splitter.forbidCarrying();
    Decision decided = ops.find(&op)->second;
    decide(&op, splitter, {}, decided.origin);
    changed |= ops.find(&op)->second.sharding.operands != decided.sharding.operands;
  }
  return changed;
}

int64_t Propagation::countParts(const OpSharding &sharding) const {
  AxisList axes;
  for (const Sharding &cut : llvm::concat<const Sharding>(sharding.operands, sharding.results))
    for (const std::string &axis : cut.getSplitAxes())
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  return mesh.getSize(axes);
}

void Propagation::annotate() {
  for (Operation &op : listOps(function)) {
    auto found = ops.find(&op);
    if (found == ops.end())
      continue;
    const OpSharding &sharding = found->second.sharding;
    analysis::setShardings(&op, sharding.operands, sharding.results);
    Reasons why = op.getNumResults() > 0 ? getReasons(op.getResult(0)) : Reasons();
    why.annotate(&op);
    std::string out;
    for (const Sharding &result : sharding.results)
      out += (out.empty() ? "" : ", ") + result.str();
    auto remark = remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("propagate").category("strategy").function(function.getSymName()));
    remark << remark::metric("op", analysis::getName(&op)) << remark::metric("out", out)
           << remark::metric("from", stringify(found->second.origin))
           << remark::metric("flops", analysis::costOf(&op).flops / countParts(sharding));
    if (!why.isEmpty())
      remark << remark::metric("why", why.str());
  }
}

} // namespace pcc::strategy
