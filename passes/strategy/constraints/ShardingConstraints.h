// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints on strategies: the module attribute `dist.constraints`.
//
//   dist.constraints = [
//     {op = "/h\\.\\d+/attn/q", in = "[dp, _], [_, tp]", place = "constraints.textproto:3"},
//     {op_name = "matmul_3", in = "((2,1),(1,4))", out = "((8,1))"},
//     {module = "/h\\.0", out = "[dp, _, _]"},
//     {parameter = "wte\\.weight", sharding = "[tp, _]"},
//     {input = "tokens", sharding = "((4,1))"},
//     {op_exact = "forward:matmul#0", in = "[dp, _], [_, tp]", out = "[dp, tp]", restored}]
//
// `op`, `module`, `parameter` and `input` are regular expressions that must match a whole name;
// `module` must match a whole leading part of a name, up to a `/` or `.`. `op_name` is a literal
// name. An op has every name in its location. It is an error if a constraint matches nothing or is
// illegal, or if two constraints disagree.
//
// `restored` denotes entries from a strategy checkpoint or the model's file. They yield to the
// user's constraints, which lack it, and their `in` and `out` together determine how an op's
// factors are split. `op_exact` is one op of one function (OpNames.h). An `optional` entry that
// does not fit is ignored, with a remark.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/names/ConstraintSubject.h"
#include "passes/strategy/constraints/GivenStrategy.h"

namespace pcc::strategy {

/// Kind of target that a constraint names.
enum class ConstraintKind { Op, OpName, OpExact, Module, Parameter, Input };

/// One entry of `dist.constraints`.
class ShardingConstraint {
public:
  /// Parses one entry; emits a diagnostic at `module` on failure.
  static mlir::FailureOr<ShardingConstraint> read(mlir::DictionaryAttr entry,
                                                  mlir::ModuleOp module);

  ConstraintKind getTarget() const { return ConstraintKind(subject.key); }
  /// Whether it is from a strategy checkpoint or the model's file; it yields to the user's.
  bool isRestored() const { return restored; }
  bool isOptional() const { return optional; }
  llvm::StringRef getPattern() const { return subject.pattern.getText(); }
  bool isOfTensor() const {
    return getTarget() == ConstraintKind::Parameter || getTarget() == ConstraintKind::Input;
  }
  /// Returns the place where the constraint was written; empty if unknown.
  llvm::StringRef getPlace() const { return subject.place; }
  bool matches(llvm::StringRef name) const { return subject.pattern.matches(name); }
  const GivenStrategy &getStrategy() const { return strategy; }
  /// Cut of a parameter or input.
  const GivenCuts &getSharding() const { return *strategy.out; }
  /// Returns the constraint as written, for messages: `constraint "/h.0" at
  /// constraints.textproto:3`.
  std::string describe() const { return subject.describe(); }
  mlir::LogicalResult refuseUnmatched(mlir::ModuleOp module, llvm::StringRef kind = "op") const {
    return subject.refuseUnmatched(module, kind);
  }

private:
  analysis::ConstraintSubject subject;
  bool restored = false, optional = false;
  GivenStrategy strategy;
};

/// Parses all constraints of `module`; empty without the attribute. Emits a diagnostic on failure.
mlir::FailureOr<std::vector<ShardingConstraint>> readConstraints(mlir::ModuleOp module);

} // namespace pcc::strategy
