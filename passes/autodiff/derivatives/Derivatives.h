// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of derivatives: op name → derivative. Each family of ops fills its rows in a file of its
// own; a new op adds one row.
//
//   graph.exp       rule   gradient * result
//   graph.floor     zero   "piecewise constant"
//   graph.momentum  none   "an optimizer step"
//   (no row)               an error that names the op
#pragma once

#include "passes/autodiff/derivatives/Backward.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::autodiff {

/// Sets the gradients of the op's operands by Backward::give.
using DerivativeRule = void (*)(Backward &);

/// Returns why an op has no derivative in its present form; empty if it has one.
using DerivativeLimit = llvm::StringRef (*)(mlir::Operation *);

/// One row of the table.
struct Derivative {
  enum class Kind {
    Rule, ///< `rule` builds the gradients
    Zero, ///< the derivative is zero wherever it exists: no gradient passes
    None, ///< the op is not differentiated; a gradient that must pass it is an error
  };
  Kind kind = Kind::Rule;
  DerivativeRule rule = nullptr;   ///< only for Rule
  llvm::StringRef why;             ///< only for Zero and None
  DerivativeLimit limit = nullptr; ///< of a Rule that does not hold for every form of the op

  /// Returns why a gradient cannot pass `op`, the op of this row; empty if it can.
  llvm::StringRef findObstacle(mlir::Operation *op) const {
    if (kind == Kind::None)
      return why;
    return limit ? limit(op) : "";
  }
};

class DerivativeTable {
public:
  template <typename OpT> void rule(DerivativeRule rule, DerivativeLimit limit = nullptr) {
    rows[OpT::getOperationName()] = {Derivative::Kind::Rule, rule, {}, limit};
  }
  template <typename... OpTs> void zero(llvm::StringRef why) {
    ((rows[OpTs::getOperationName()] = {Derivative::Kind::Zero, nullptr, why}), ...);
  }
  template <typename... OpTs> void none(llvm::StringRef why) {
    ((rows[OpTs::getOperationName()] = {Derivative::Kind::None, nullptr, why}), ...);
  }

  /// Returns the row of an op, null if it has none.
  const Derivative *lookup(llvm::StringRef opName) const {
    auto row = rows.find(opName);
    return row == rows.end() ? nullptr : &row->second;
  }

private:
  llvm::StringMap<Derivative> rows;
};

/// Returns the table, which is filled once.
const DerivativeTable &getDerivativeTable();

/// Names the following op NAME.grad_weight if its value is the gradient of a parameter, else
/// NAME.grad. The parameter may be seen through a change of shape or type.
void nameAfterOperand(Backward &b, unsigned index);

// The families, each in its own file.
void addArithmeticDerivatives(DerivativeTable &table);
void addFunctionDerivatives(DerivativeTable &table);
void addActivationDerivatives(DerivativeTable &table);
void addShapeDerivatives(DerivativeTable &table);
void addIndexingDerivatives(DerivativeTable &table);
void addContractionDerivatives(DerivativeTable &table);
void addWindowDerivatives(DerivativeTable &table);
void addAttentionDerivatives(DerivativeTable &table);
void addNormalizationDerivatives(DerivativeTable &table);
void addReduceDerivatives(DerivativeTable &table);
void addAlongAxisDerivatives(DerivativeTable &table);
void addLossDerivatives(DerivativeTable &table);
void addCollectiveDerivatives(DerivativeTable &table);
void addExchangeDerivatives(DerivativeTable &table);
void addConstantDerivatives(DerivativeTable &table);

} // namespace pcc::autodiff
