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

#include "dialects/graph/Graph.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/autodiff/Names.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::autodiff {

// Context of a derivative rule: one forward op, the gradients that arrived at its results, and
// short names for the graph ops in which rules are written.
//
//   y = exp(x)      rule:  b.setGradient(0, b.mul(b.gradient(), b.result()))
//
// A gradient has the type of its value. A result at which no gradient arrived has a null gradient,
// which means zero. A rule of an op with one result never gets null.

/// Builds the backward ops of one forward op NAME. Their location is NAME.grad unless a rule
/// changes it with named().
class Backward : public mlir::ImplicitLocOpBuilder {
public:
  /// Builds at the insertion point of `at`. `gradients`: one per result, null for zero. `wanted`:
  /// one per operand, whether its gradient is used at all.
  Backward(mlir::OpBuilder &at, mlir::Operation *forward, llvm::ArrayRef<mlir::Value> gradients,
           llvm::ArrayRef<bool> wanted)
      : ImplicitLocOpBuilder(derivedLocation(forward, "grad"), at), forward(forward),
        gradients(gradients), wanted(wanted), contributions(forward->getNumOperands()) {}

  // The forward op.
  template <typename OpT> OpT op() const { return llvm::cast<OpT>(forward); }
  mlir::Value operand(unsigned index = 0) const { return forward->getOperand(index); }
  mlir::Value result(unsigned index = 0) const { return forward->getResult(index); }
  mlir::Value gradient(unsigned result = 0) const { return gradients[result]; }
  bool wants(unsigned operand) const { return wanted[operand]; }

  /// Sets the gradient of operand `operand`. A gradient that is not wanted is dropped. Rules ask
  /// wants() first if that saves ops.
  void setGradient(unsigned operand, mlir::Value gradient) { contributions[operand] = gradient; }
  llvm::ArrayRef<mlir::Value> operandGradients() const { return contributions; }

  /// Names the ops built from now on NAME.`suffix`.
  void named(llvm::StringRef suffix) { setLoc(derivedLocation(forward, suffix)); }

  /// Builds any graph op with one result.
  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) {
    return OpT::create(*this, std::forward<Args>(args)...);
  }

  // Elementwise ops.
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<graph::AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<graph::SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make<graph::MulOp>(a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return make<graph::DivOp>(a, b); }
  mlir::Value neg(mlir::Value a) { return make<graph::NegOp>(a); }
  mlir::Value mul(mlir::Value a, double factor) { return mul(a, like(a, factor)); }
  mlir::Value add(mlir::Value a, double term) { return add(a, like(a, term)); }
  /// constant - a.
  mlir::Value sub(double constant, mlir::Value a) { return sub(like(a, constant), a); }
  mlir::Value compare(graph::Direction direction, mlir::Value a, mlir::Value b) {
    return make<graph::CompareOp>(direction, a, b);
  }
  mlir::Value compare(graph::Direction direction, mlir::Value a, double constant) {
    return compare(direction, a, like(a, constant));
  }
  mlir::Value select(mlir::Value predicate, mlir::Value onTrue, mlir::Value onFalse) {
    return make<graph::SelectOp>(predicate, onTrue, onFalse);
  }
  /// Returns `value` where the predicate holds, else zero.
  mlir::Value where(mlir::Value predicate, mlir::Value value) {
    return select(predicate, value, like(value, 0));
  }

  /// Returns the constant `number` in every element of `type`.
  mlir::Value splat(mlir::Type type, double number);
  /// Returns the constant `number` in the type of `value`.
  mlir::Value like(mlir::Value value, double number) { return splat(value.getType(), number); }
  /// True where an index lies in [0, size). If no number of its type reaches `size`, only checks
  /// the sign.
  mlir::Value isIndex(mlir::Value indices, int64_t size);
  /// Returns `value` with elements of `elementType`; `value` itself if it has them already.
  mlir::Value castTo(mlir::Value value, mlir::Type elementType);
  /// The inverse of a reduction over `reducedDims`: `value` repeated along them to `shape`.
  mlir::Value unreduce(mlir::Value value, llvm::ArrayRef<int64_t> reducedDims,
                       llvm::ArrayRef<int64_t> shape);
  /// Reduces along `dims` and repeats the result, so that the shape stays.
  mlir::Value reduceInPlace(graph::ReduceOpKind kind, mlir::Value value,
                            llvm::ArrayRef<int64_t> dims);
  /// A scalar repeated to `shape`.
  mlir::Value repeat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);

private:
  mlir::Operation *forward;
  llvm::ArrayRef<mlir::Value> gradients;
  llvm::ArrayRef<bool> wanted;
  llvm::SmallVector<mlir::Value, 3> contributions;
};

/// The shape of a tensor value.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Sets the gradients of the op's operands by Backward::setGradient.
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

/// Names all ops that `b` builds from now on: NAME.grad_weight if operand `index` is a parameter,
/// else NAME.grad. The parameter may have been reshaped, transposed, broadcast or cast.
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
