// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops numerically: a value is computed at 49 points from -6 to 6 and compared with gelu
// or its derivative. Searches are limited to 64 values. The tolerance allows for constants rounded
// to the element type.
#include "passes/fusion/GeluDecomposition.h"

#include "dialects/graph/Gelu.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {

/// Upper bound of the values of gelu and its derivative together, however they are written: results
/// of ops, operand and constants.
static constexpr size_t maxGeluValues = 64;

/// Whether the op may be part of such a decomposition.
static bool isGeluOp(Operation *op) {
  return isa_and_nonnull<AddOp, SubOp, MulOp, DivOp, NegOp, SquareOp, TanhOp>(op);
}

/// Returns the number that a value has in all elements.
static std::optional<double> constantOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>().convertToDouble();
}

static double apply(Operation *op, double x, double y) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](AddOp) { return x + y; })
      .Case([&](SubOp) { return x - y; })
      .Case([&](MulOp) { return x * y; })
      .Case([&](DivOp) { return x / y; })
      .Case([&](NegOp) { return -x; })
      .Case([&](SquareOp) { return x * x; })
      .Case([&](TanhOp) { return std::tanh(x); });
}

namespace {
/// Evaluates values as functions of one operand.
class Evaluation {
public:
  Evaluation(Value operand, double number) { known[operand] = number; }

  /// Returns nullopt for values that depend on anything else.
  std::optional<double> of(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    std::optional<double> result = constantOf(value);
    Operation *op = value.getDefiningOp();
    if (!result && isGeluOp(op) && known.size() < maxGeluValues) {
      std::optional<double> x = of(op->getOperand(0));
      std::optional<double> y = op->getNumOperands() > 1 ? of(op->getOperand(1)) : x;
      if (x && y)
        result = apply(op, *x, *y);
    }
    return known[value] = result;
  }

private:
  llvm::DenseMap<Value, std::optional<double>> known;
};
} // namespace

static double valueOf(GeluPart part, double x) {
  const double c = geluScale, d = geluCubic;
  double t = std::tanh(c * (x + d * x * x * x));
  if (part == GeluPart::Function)
    return 0.5 * x * (1 + t);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * d * x * x);
}

bool isGelu(GeluPart part, Value value, Value operand) {
  // Constants were rounded to the element type.
  Type type = getElementTypeOrSelf(value.getType());
  const double tolerance = type.isF64() ? 1e-13 : type.isF32() ? 1e-5 : 1e-3;
  const double reach = 6, step = 0.25;
  for (double x = -reach; x <= reach; x += step) {
    std::optional<double> got = Evaluation(operand, x).of(value);
    if (!got || !(std::abs(*got - valueOf(part, x)) <= tolerance * (1 + std::abs(x))))
      return false;
  }
  return true;
}

Value findGelu(Value operand) {
  SetVector<Operation *> dependents; // on the operand and constants alone
  SmallVector<Value> work{operand};
  Evaluation evaluation(operand, 1);
  while (!work.empty() && dependents.size() < maxGeluValues)
    for (Operation *user : work.pop_back_val().getUsers())
      if (isGeluOp(user) && evaluation.of(user->getResult(0)) && dependents.insert(user))
        work.push_back(user->getResult(0));
  for (Operation *op : dependents) {
    bool isRead =
        llvm::any_of(op->getUsers(), [&](Operation *user) { return !dependents.contains(user); });
    if (isRead && isGelu(GeluPart::Function, op->getResult(0), operand))
      return op->getResult(0);
  }
  return nullptr;
}

Value findOperandOfDerivative(Value derivative) {
  SetVector<Value> sources; // from which the derivative is computed
  sources.insert(derivative);
  for (size_t n = 0; n < sources.size() && sources.size() < maxGeluValues; ++n)
    if (Operation *op = sources[n].getDefiningOp(); isGeluOp(op))
      for (Value operand : op->getOperands())
        if (!constantOf(operand))
          sources.insert(operand);
  for (Value value : llvm::drop_begin(sources))
    if (isGelu(GeluPart::Derivative, derivative, value))
      return value;
  return nullptr;
}

SetVector<Operation *> decompositionOf(Value value, Value operand) {
  SetVector<Operation *> ops;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (next == operand || constantOf(next))
      continue;
    if (Operation *op = next.getDefiningOp(); ops.insert(op))
      work.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return SetVector<Operation *>(sorted.begin(), sorted.end());
}

} // namespace pcc::fusion
