// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches numbers by tolerance, since files round constants. Products are flattened recursively,
// with the exponent of each factor.
#include "passes/graph/Match.h"

#include "dialects/graph/Constants.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

using namespace mlir;

namespace pcc::graph {

/// Largest number of ops that one search looks at. Patterns are smaller. Without it, a chain of
/// products with numbers takes quadratic time, and a product of a value with itself, again and
/// again, has exponentially many factors.
static constexpr int64_t maxPatternOps = 16;

std::optional<double> findSplat(Value value) {
  // Casts to floats only round. Other casts change numbers: 1.7 becomes 1.
  auto keepsNumbers = [](Operation *op) {
    return isa_and_present<BroadcastOp, ReshapeOp>(op) ||
           (isa_and_present<CastOp>(op) && isa<FloatType>(getElementTypeOrSelf(op->getResult(0))));
  };
  for (int64_t i = 0; i < maxPatternOps; ++i) {
    if (!keepsNumbers(value.getDefiningOp()))
      return getSplat(value);
    value = value.getDefiningOp()->getOperand(0);
  }
  return std::nullopt;
}

/// Files write such constants with at least five digits, or with those of their type. A constant of
/// f64 with fewer digits is another number, since its results would show the difference.
bool isNear(double value, double number, Type element) {
  double tolerance = element.isBF16()  ? 0x1p-8
                     : element.isF16() ? 0x1p-10
                     : element.isF64() ? 1e-14
                                       : 1e-5;
  return std::fabs(value - number) <= tolerance * std::fabs(number);
}

bool isSplat(Value value, double number) {
  std::optional<double> splat = findSplat(value);
  return splat && isNear(*splat, number, typeOf(value).getElementType());
}

Product flattenProduct(Value value, Value whole) {
  Product product;
  // Breadth first: the limit cuts what lies farthest from `value`.
  SmallVector<std::pair<Value, int64_t>> powers{{value, 1}};
  for (size_t next = 0; next < powers.size(); ++next) {
    auto [base, power] = powers[next];
    Operation *op = base.getDefiningOp();
    auto split = [&](Value operand, int64_t exponent) { powers.push_back({operand, exponent}); };
    bool isLimit = int64_t(powers.size()) > maxPatternOps || power > maxPatternOps;
    if (std::optional<double> splat = findSplat(base)) {
      product.scale *= std::pow(*splat, double(power));
    } else if (base == whole || !op || isLimit) {
      product.factors.append(power, base);
    } else if (isa<MulOp>(op)) {
      split(op->getOperand(0), power);
      split(op->getOperand(1), power);
    } else if (isa<NegOp>(op)) {
      product.scale *= power % 2 ? -1.0 : 1.0;
      split(op->getOperand(0), power);
    } else if (isa<SquareOp>(op)) {
      split(op->getOperand(0), 2 * power);
    } else if (isa<PowOp>(op) && (isSplat(op->getOperand(1), 2) || isSplat(op->getOperand(1), 3))) {
      split(op->getOperand(0), power * std::lround(*findSplat(op->getOperand(1))));
    } else if (isa<DivOp>(op) && findSplat(op->getOperand(1))) {
      product.scale /= std::pow(*findSplat(op->getOperand(1)), double(power));
      split(op->getOperand(0), power);
    } else {
      product.factors.append(power, base);
    }
  }
  return product;
}

std::pair<Value, double> splitScale(Value value) {
  double scale = 1.0;
  for (int64_t i = 0; i < maxPatternOps; ++i) {
    Operation *op = value.getDefiningOp();
    if (auto mul = dyn_cast_or_null<MulOp>(op)) {
      std::optional<double> left = findSplat(mul.getLhs()), right = findSplat(mul.getRhs());
      if (!left && !right)
        break;
      scale *= right ? *right : *left;
      value = right ? mul.getLhs() : mul.getRhs();
    } else if (auto div = dyn_cast_or_null<DivOp>(op); div && findSplat(div.getRhs())) {
      scale /= *findSplat(div.getRhs());
      value = div.getLhs();
    } else {
      break;
    }
  }
  return {value, scale};
}

bool matchEither(Operation *op, function_ref<bool(Value, Value)> matches) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  return matches(a, b) || matches(b, a);
}

/// Returns whether the result is the input's elements in order, each repeated in succession: then
/// no dimension that varies comes after a repeated one.
static bool repeatsRows(BroadcastOp broadcast) {
  ArrayRef<int64_t> shape = typeOf(broadcast).getShape();
  int64_t next = 0; // dimension of the result
  for (auto [dim, size] :
       llvm::zip_equal(broadcast.getDims(), typeOf(broadcast.getInput()).getShape())) {
    if (size == 1)
      continue;
    for (; next < dim; ++next)
      if (shape[next] != 1)
        return false;
    if (next++ != dim)
      return false;
  }
  return true;
}

Value findRows(Value value, int64_t rows) {
  while (typeOf(value).getNumElements() != rows) {
    auto reshape = value.getDefiningOp<ReshapeOp>();
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    if (reshape) {
      value = reshape.getInput();
      continue;
    }
    if (!broadcast || typeOf(broadcast.getInput()).getNumElements() != rows)
      return {};
    if (!repeatsRows(broadcast))
      return {};
    value = broadcast.getInput();
  }
  return value;
}

SmallVector<Value> findSources(Value value) {
  llvm::SetVector<Value> found;
  found.insert(value);
  for (size_t next = 0; next < found.size() && int64_t(found.size()) < maxPatternOps; ++next) {
    Operation *op = found[next].getDefiningOp();
    if (!isa_and_present<AddOp, MulOp, DivOp, PowOp, SquareOp>(op))
      continue;
    for (Value operand : op->getOperands())
      if (!findSplat(operand))
        found.insert(operand);
  }
  return found.takeVector();
}

Location fuseLocations(Value result, ValueRange inputs) {
  llvm::SetVector<Operation *> pieces;
  SmallVector<Value> work{result};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    bool ends = !op || llvm::is_contained(inputs, value) || op->hasTrait<OpTrait::ConstantLike>();
    if (!ends && pieces.insert(op))
      llvm::append_range(work, op->getOperands());
  }
  SmallVector<Operation *> ordered = pieces.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  auto locations = llvm::map_to_vector(ordered, [](Operation *op) { return op->getLoc(); });
  return FusedLoc::get(result.getContext(), locations);
}

std::optional<SmallVector<double>> readConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? readElements(constant.getValue()) : std::nullopt;
}

} // namespace pcc::graph
