// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes gelu and silu in arithmetic.
//
//   gelu  x/2 (1 + erf(x / √2)), x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), factors in any order
//   silu  x * sigmoid(x), and x * sigmoid(1.702 x) as silu(1.702 x) / 1.702
//
// Assumes canonical form. Leaves the arithmetic to be erased if nothing else reads it.
#include "dialects/graph/Gelu.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHRAISEACTIVATIONS
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// `value` as number + number * bend, where `bend` is an erf or tanh.
struct ErfOrTanh {
  Operation *op = nullptr;
  double term = 0.0, factor = 0.0;
};

static ErfOrTanh findErfOrTanh(Value value) {
  ErfOrTanh bend;
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return bend;
  matchEither(add, [&](Value constant, Value rest) {
    std::optional<double> term = findSplat(constant);
    auto [inner, factor] = splitScale(rest);
    if (!term || !isa_and_present<ErfOp, TanhOp>(inner.getDefiningOp()))
      return false;
    bend = {inner.getDefiningOp(), *term, factor};
    return true;
  });
  return bend;
}

static bool hasFactors(const Product &product, ArrayRef<Value> factors, double scale, Type type) {
  return ArrayRef(product.factors) == factors && isNear(product.scale, scale, type);
}

/// √(2/π) (x + 0.044715 x³), or √(2/π) x (1 + 0.044715 x²).
static bool isTanhArgument(Value argument, Value x) {
  Type element = typeOf(x).getElementType();
  Product product = flattenProduct(argument, x);
  if (product.factors.empty() || !isNear(product.scale, geluScale, element))
    return false;
  bool isNested = product.factors.size() == 2;
  if (isNested && product.factors[0] != x)
    std::swap(product.factors[0], product.factors[1]);
  auto sum = product.factors.back().getDefiningOp<AddOp>();
  if (!sum || product.factors.size() > 2 || (isNested && product.factors[0] != x))
    return false;
  return matchEither(sum, [&](Value first, Value power) {
    SmallVector<Value> factors(isNested ? 2 : 3, x);
    return (isNested ? isSplat(first, 1.0) : first == x) &&
           hasFactors(flattenProduct(power, x), factors, geluCubic, element);
  });
}

static bool isGeluOf(Value x, const ErfOrTanh &bend) {
  Value argument = bend.op->getOperand(0);
  if (isa<TanhOp>(bend.op))
    return isTanhArgument(argument, x);
  return hasFactors(flattenProduct(argument, x), {x}, 1.0 / std::numbers::sqrt2,
                    typeOf(x).getElementType());
}

static LogicalResult raiseGelu(MulOp op, PatternRewriter &rewriter) {
  // The argument of the bend, which is in one factor of the product, contains x.
  Product product = flattenProduct(op, /*whole=*/Value());
  ErfOrTanh bend;
  Value bent;
  for (Value factor : product.factors)
    if (ErfOrTanh found = findErfOrTanh(factor); found.op) {
      bend = found;
      bent = factor;
    }
  if (!bend.op || bent.getType() != op.getType())
    return failure();
  Type element = op.getType().getElementType();
  for (Value x : findSources(bend.op->getOperand(0))) {
    Product whole = flattenProduct(op, x);
    ArrayRef<Value> factors = whole.factors;
    bool isProduct = factors.size() == 2 && llvm::is_contained(factors, x) &&
                     llvm::is_contained(factors, bent) &&
                     isNear(whole.scale * bend.term, 0.5, element) &&
                     isNear(whole.scale * bend.factor, 0.5, element);
    if (!isProduct || !isGeluOf(x, bend))
      continue;
    auto form = isa<TanhOp>(bend.op) ? GeluForm::Tanh : GeluForm::Exact;
    Value gelu = GeluOp::create(rewriter, fuseLocations(op, x), op.getType(), x, form);
    rewriter.replaceOp(op, gelu);
    return success();
  }
  return failure();
}

/// x · sigmoid(c · x) is silu(c · x) / c. With c = 1.702 it approximates gelu.
static LogicalResult raiseSilu(MulOp op, PatternRewriter &rewriter) {
  Value x, scaled;
  double scale = 1.0;
  bool found = matchEither(op, [&](Value input, Value gate) {
    auto sigmoid = gate.getDefiningOp<SigmoidOp>();
    if (!sigmoid)
      return false;
    x = input;
    scaled = sigmoid->getOperand(0);
    auto [inner, factor] = splitScale(scaled);
    scale = scaled == x ? 1.0 : factor;
    return scaled == x || (inner == x && std::isfinite(factor) && factor != 0.0);
  });
  if (!found)
    return failure();
  Location loc = fuseLocations(op, x);
  Value silu = SiluOp::create(rewriter, loc, op.getType(), scaled);
  if (scale != 1.0)
    silu = MulOp::create(rewriter, loc, op.getType(), silu,
                         ConstantOp::create(rewriter, loc, op.getType(), 1.0 / scale));
  rewriter.replaceOp(op, silu);
  return success();
}

namespace {
struct RaiseActivations : pcc::graph::impl::GraphRaiseActivationsBase<RaiseActivations> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseGelu);
    patterns.add(raiseSilu);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
