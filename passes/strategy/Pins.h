// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategies that are given from outside: the module attribute `dist.pins`.
//
//   dist.pins = [
//     {op = "/h\\.\\d+/attn/q", in = "[dp, _], [_, tp]", place = "pins.textproto:3"},
//     {op_name = "matmul_3", in = "((2,1),(1,4))", out = "((8,1))"},
//     {module = "/h\\.0", out = "[dp, _, _]"},
//     {parameter = "wte\\.weight", sharding = "[tp, _]"},
//     {input = "tokens", sharding = "((4,1))"},
//     {op_exact = "forward:matmul#0", in = "[dp, _], [_, tp]", out = "[dp, tp]", restored}]
//
// `op`, `module`, `parameter` and `input` are regular expressions that must match a whole name (a
// module: a whole leading part of it, up to a `/` or `.`), `op_name` is a name as it is. An op has
// every name in its location. A pin that matches nothing, two that say different things, and an
// illegal one are errors.
//
// `restored` marks what comes from a strategy checkpoint rather than from the user: it gives way to
// a pin without the mark, and of an op `in` and `out` together say how its factors are split.
// `op_exact` is one op of one function (OpNames.h). What is `optional` and does not fit is left
// out, with a remark.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/facts/PinSubject.h"
#include "passes/strategy/GivenStrategy.h"

namespace pcc::strategy {

/// What a pin speaks of.
enum class PinTarget { Op, OpName, OpExact, Module, Parameter, Input };

/// One entry of `dist.pins`.
class Pin {
public:
  /// Reads one entry; diagnoses at `module` and fails.
  static mlir::FailureOr<Pin> read(mlir::DictionaryAttr entry, mlir::ModuleOp module);

  PinTarget getTarget() const { return PinTarget(subject.key); }
  bool isRestored() const { return restored; }
  bool isOptional() const { return optional; }
  llvm::StringRef getPattern() const { return subject.pattern.getText(); }
  bool isOfTensor() const {
    return getTarget() == PinTarget::Parameter || getTarget() == PinTarget::Input;
  }
  bool matches(llvm::StringRef name) const { return subject.pattern.matches(name); }
  const GivenStrategy &getStrategy() const { return strategy; }
  /// Of a parameter or input.
  const GivenCuts &getSharding() const { return *strategy.out; }
  /// As it was written, for messages: `pin "/h.0" at pins.textproto:3`.
  std::string describe() const { return subject.describe(); }

private:
  facts::PinSubject subject;
  bool restored = false, optional = false;
  GivenStrategy strategy;
};

/// All pins of `module`, empty without the attribute. Diagnoses and fails.
mlir::FailureOr<std::vector<Pin>> readPins(mlir::ModuleOp module);

} // namespace pcc::strategy
