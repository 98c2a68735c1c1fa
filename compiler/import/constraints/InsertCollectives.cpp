// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts the collectives behind each matched value, then infers types again in program order.
// Readers inside a matched module keep the original value. Errors of parsers and verifiers are
// caught and reported with the constraint.
#include "compiler/import/constraints/InsertCollectives.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Reasons.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;

namespace pcc::import {
namespace {

/// Catches diagnostics, so that they can be repeated as reasons.
class Reasons {
public:
  explicit Reasons(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (first.empty())
            first = diagnostic.str();
          return success();
        }) {}

  /// Returns the first message without the name of an op in front.
  std::string get() const {
    StringRef text = first;
    if (text.starts_with("'"))
      text = text.contains("' op ") ? text.split("' op ").second : text;
    return text.str();
  }

private:
  std::string first;
  ScopedDiagnosticHandler handler;
};

/// Inserts the collectives of one constraint.
class Inserter {
public:
  Inserter(ModuleOp module, const analysis::ConstraintSubject &subject,
           ArrayRef<CollectiveText> collectives)
      : module(module), subject(subject), collectives(collectives), mesh(dist::getMesh(module)),
        builder(module.getContext()) {}

  LogicalResult run(func::FuncOp function) {
    function->setAttr(dist::localAttrName, builder.getUnitAttr());
    for (Value value : findValues(function))
      if (failed(insertBehind(value)))
        return failure();
    return inferTypes(function);
  }

  bool matchesAny() const { return isMatched; }

private:
  bool isOfArguments() const {
    StringRef key = collectiveSubjects[subject.key].key;
    return key == "parameter" || key == "input";
  }

  /// Returns what identifies the op among those that the constraint matches: its module, or its own
  /// name; empty if the constraint does not match.
  StringRef findTarget(Operation *op) const {
    if (!isa<FactorRuleOpInterface>(op))
      return "";
    for (StringRef name : analysis::getNames(op))
      if (subject.pattern.matches(name))
        return collectiveSubjects[subject.key].kind == analysis::NamePattern::Kind::Leading
                   ? subject.pattern.findModule(name)
                   : name;
    return "";
  }

  /// Returns whether `user` is outside of the op or module `target`. An argument has an empty
  /// target.
  bool isOutside(Operation *user, StringRef target) const {
    return target.empty() || findTarget(user) != target;
  }

  /// Lists the matched values that other ops read.
  SmallVector<Value> findValues(func::FuncOp function) const {
    SmallVector<Value> values;
    if (isOfArguments()) {
      auto kind = collectiveSubjects[subject.key].key == "input" ? graph::RoleKind::Input
                                                                 : graph::RoleKind::Parameter;
      for (unsigned index : graph::findArgs(function, kind))
        if (subject.pattern.matches(graph::getName(graph::getArgRole(function, index))))
          values.push_back(function.getArgument(index));
      return values;
    }
    for (Operation &op : function.getBody().front().without_terminator())
      if (StringRef target = findTarget(&op); !target.empty() && !isa<graph::ConstantOp>(op))
        for (Value result : op.getResults())
          if (llvm::any_of(result.getUsers(),
                           [&](Operation *user) { return isOutside(user, target); }))
            values.push_back(result);
    return values;
  }

  LogicalResult insertBehind(Value value) {
    isMatched = true;
    Operation *op = value.getDefiningOp();
    StringRef target = op ? findTarget(op) : StringRef();
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (isOutside(use.getOwner(), target))
        uses.push_back(&use);
    builder.setInsertionPointAfterValue(value);
    Value last = value;
    for (const CollectiveText &text : collectives) {
      FailureOr<Value> result = build(text, last);
      if (failed(result))
        return failure();
      last = *result;
    }
    for (OpOperand *use : uses)
      use->set(last);
    return success();
  }

  int64_t getNumber(const CollectiveText &text, StringRef name) const {
    for (auto [key, number] : text.numbers)
      if (key == name)
        return number;
    return 0;
  }

  FailureOr<Value> build(const CollectiveText &text, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::string reason = type ? "" : "expected a tensor";
    if (reason.empty()) {
      Reasons reasons(module.getContext());
      dist::GroupAttr group = parseGroup(text, reason);
      if (reason.empty()) {
        Value result = create(text, value, type, group);
        if (succeeded(verify(result.getDefiningOp())))
          return result;
        reason = reasons.get();
      }
    }
    return fail(text) << reason;
  }

  /// Reads the group; null for all ranks. Sets `reason` if it is no group of the mesh.
  dist::GroupAttr parseGroup(const CollectiveText &text, std::string &reason) const {
    if (text.group.empty())
      return {};
    auto group = dyn_cast_or_null<dist::GroupAttr>(
        parseAttribute("#dist.group<" + text.group + ">", builder.getContext()));
    if (!group) {
      reason = "expected a group such as \"over [dp]\" or \"over [[0, 1], [2, 3]]\"";
      return {};
    }
    for (StringAttr axis : group.getAxes())
      if (!mesh.findAxis(axis.getValue()))
        reason = "expected axes of the mesh \"" + mesh.str() + "\", got \"" +
                 axis.getValue().str() + "\"";
    return group;
  }

  /// Returns the shape of the result; the operand's where the collective is illegal, so that its
  /// verifier reports the reason.
  SmallVector<int64_t> inferShape(const CollectiveText &text, RankedTensorType type,
                                  dist::GroupAttr group) const {
    SmallVector<int64_t> shape(type.getShape());
    int64_t size = mesh.getNumRanks();
    if (group)
      size = dist::getCommonGroupSize(group, mesh).value_or(1);
    auto scale = [&](StringRef name, bool divides) {
      int64_t axis = getNumber(text, name);
      if (axis >= 0 && axis < type.getRank())
        shape[axis] = divides ? shape[axis] / size : shape[axis] * size;
    };
    if (text.kind == "all_gather")
      scale("axis", false);
    if (text.kind == "reduce_scatter")
      scale("axis", true);
    if (text.kind == "all_to_all") {
      scale("split", true);
      scale("concat", false);
    }
    return shape;
  }

  /// Names the constraint as what asks for a collective.
  analysis::Request makeRequest(Value value) const {
    analysis::Request request;
    request.value = analysis::describeValue(value);
    request.toReason = subject.describe();
    return request;
  }

  Value create(const CollectiveText &text, Value value, RankedTensorType type,
               dist::GroupAttr group) {
    std::string name = analysis::getName(value.getLoc()).str();
    if (auto argument = dyn_cast<BlockArgument>(value))
      name =
          graph::getName(graph::getArgRole(cast<func::FuncOp>(argument.getOwner()->getParentOp()),
                                           argument.getArgNumber()))
              .str();
    Location loc = NameLoc::get(builder.getStringAttr(name + "." + text.kind), value.getLoc());
    loc = analysis::withRequest(loc, makeRequest(value));
    Type result = type.clone(inferShape(text, type, group));
    ReduceKind reduction = text.word == "max"    ? ReduceKind::Max
                           : text.word == "min"  ? ReduceKind::Min
                           : text.word == "prod" ? ReduceKind::Prod
                                                 : ReduceKind::Sum;
    auto number = [&](StringRef key) { return getNumber(text, key); };
    if (text.kind == "all_reduce")
      return dist::AllReduceOp::create(builder, loc, result, reduction, value, group);
    if (text.kind == "all_gather")
      return dist::AllGatherOp::create(builder, loc, result, value, number("axis"), group);
    if (text.kind == "reduce_scatter")
      return dist::ReduceScatterOp::create(builder, loc, result, reduction, value, number("axis"),
                                           group);
    if (text.kind == "all_to_all")
      return dist::AllToAllOp::create(builder, loc, result, value, number("split"),
                                      number("concat"), group);
    if (text.kind == "broadcast")
      return dist::BroadcastOp::create(builder, loc, result, value, number("root"), group);
    return dist::MirrorOp::create(builder, loc, result, value, text.word == "mean", group);
  }

  //===--- Types behind the collectives ----------------------------------===//

  /// Sets the types that follow from an op's operands. A type that the op states itself, such as
  /// the type of a reshape, is unchanged.
  static LogicalResult inferType(Operation *op) {
    if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
      SmallVector<Type> types;
      if (failed(infer.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                        op->getAttrDictionary(), op->getPropertiesStorage(),
                                        op->getRegions(), types)))
        return failure();
      for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
        result.setType(type);
    } else if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
               op->hasTrait<OpTrait::SameOperandsAndResultType>()) {
      auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
      for (Value result : op->getResults())
        result.setType(cast<RankedTensorType>(result.getType()).clone(operand.getShape()));
    }
    return verify(op);
  }

  LogicalResult inferTypes(func::FuncOp function) {
    for (Operation &op : function.getBody().front().without_terminator()) {
      std::string reason;
      {
        Reasons reasons(module.getContext());
        if (!isa<FactorRuleOpInterface>(op) || succeeded(inferType(&op)))
          continue;
        reason = reasons.get();
      }
      InFlightDiagnostic error = op.emitError()
                                 << "'" << analysis::getName(&op)
                                 << "' cannot read the results of the collectives of "
                                 << subject.describe() << ": " << reason;
      error << "; expected collectives that give the shape that the model reads";
      return error;
    }
    Operation *terminator = function.getBody().front().getTerminator();
    function.setFunctionType(
        builder.getFunctionType(function.getArgumentTypes(), terminator->getOperandTypes()));
    return success();
  }

  InFlightDiagnostic fail(const CollectiveText &text) {
    return module.emitError() << subject.describe() << ", collective \"" << text.kind << "\": ";
  }

  ModuleOp module;
  const analysis::ConstraintSubject &subject;
  ArrayRef<CollectiveText> collectives;
  dist::Mesh mesh;
  OpBuilder builder;
  bool isMatched = false;
};

} // namespace

LogicalResult insertCollectives(ModuleOp module, const abi::Constraint &constraint,
                                const analysis::ConstraintSubject &subject) {
  if (!module->hasAttr(dist::meshAttrName))
    return module.emitError() << subject.describe()
                              << " requires a collective: expected a mesh in the file, such as "
                                 "\"mesh: \\\"tp=4\\\"\", got none";
  SmallVector<CollectiveText> collectives;
  for (const std::string &text : constraint.collective()) {
    collectives.push_back(parseCollective(text));
    if (!collectives.back().error.empty())
      return module.emitError() << subject.describe() << ", collective \"" << text
                                << "\": " << collectives.back().error;
  }
  Inserter inserter(module, subject, collectives);
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && failed(inserter.run(function)))
      return failure();
  return inserter.matchesAny() ? success() : subject.refuseUnmatched(module, "value that is read");
}

LogicalResult cutLocalInput(ModuleOp module, const abi::Constraint &constraint,
                            const analysis::ConstraintSubject &subject) {
  dist::ShardingAttr sharding;
  {
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    sharding = dyn_cast_or_null<dist::ShardingAttr>(
        parseAttribute("#dist.sharding<" + constraint.sharding() + ">", module.getContext()));
  }
  auto refuse = [&] { return module.emitError() << subject.describe() << ": "; };
  if (!sharding)
    return refuse() << "expected a sharding by axes beside collectives, such as \"[dp, _]\", got \""
                    << constraint.sharding() << "\"";
  if (std::string error = sharding.getSharding().verifyAxes(dist::getMesh(module)); !error.empty())
    return refuse() << error;
  bool isMatched = false;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    for (unsigned index : graph::findArgs(function, graph::RoleKind::Input)) {
      auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
      if (!type || !subject.pattern.matches(graph::getName(graph::getArgRole(function, index))))
        continue;
      isMatched = true;
      if (type.getRank() != sharding.getSharding().getRank())
        return refuse() << "expected a sharding of " << type.getRank() << " dimensions, got \""
                        << constraint.sharding() << "\"";
      function.setArgAttr(index, dist::shardingAttrName, sharding);
    }
  return isMatched ? success() : refuse() << "matches no input";
}

} // namespace pcc::import
