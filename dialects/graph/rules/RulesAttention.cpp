// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of attention and of the rotary position embedding.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

namespace {

/// Factors of attention: samples, groups of heads, heads of a group, positions of the query and of
/// the key, and the two widths.
///
///   query [b,g.h,s,w]   key [b,g,t,w]   value [b,g,t,v]   result [b,g.h,s,v]
///
/// A row of the softmax spans all positions of the key, so they are whole. With `causal` the
/// visible positions depend on the query's position, so query positions are whole as well.
///
/// In a self-attention the key has the query's positions: s and t are one factor. Only a local form
/// splits it, since each block of the query needs all blocks of the key. A mask has both kinds of
/// positions in one tensor, so they stay two factors there.
struct AttentionFactors {
  template <typename Op> AttentionFactors(Op op, FactorKind ofQuery) {
    RankedTensorType query = op.getQuery().getType(), key = op.getKey().getType();
    RankedTensorType value = op.getValue().getType();
    bool sharesPositions = !op.getMask() && query.getDimSize(2) == key.getDimSize(2);
    int64_t numGroups = key.getDimSize(1);
    batch = rule.addDim(query.getDimSize(0));
    group = rule.addDim(numGroups);
    head = rule.addDim(query.getDimSize(1) / numGroups, ofQuery);
    from = rule.addDim(query.getDimSize(2),
                       op.getCausal() || sharesPositions ? FactorKind::Whole : ofQuery);
    to = sharesPositions ? from : rule.addDim(key.getDimSize(2), FactorKind::Whole);
    width = rule.addDim(query.getDimSize(3), FactorKind::Whole);
    depth = rule.addDim(value.getDimSize(3),
                        ofQuery == FactorKind::Parallel ? ofQuery : FactorKind::Whole);
  }

  DimFactors heads() const {
    DimFactors both = group;
    llvm::append_range(both, head);
    return both;
  }
  TensorFactors query() const { return {batch, heads(), from, width}; }
  TensorFactors key() const { return {batch, group, to, width}; }
  TensorFactors value() const { return {batch, group, to, depth}; }
  TensorFactors result() const { return {batch, heads(), from, depth}; }
  TensorFactors logSum() const { return {batch, heads(), from}; }
  /// Returns the mask's factors, without the dimensions along which it is repeated.
  TensorFactors mask(RankedTensorType type) const {
    TensorFactors dims = {batch, heads(), from, to};
    for (auto [size, factors] : llvm::zip_equal(type.getShape(), dims))
      if (size == 1)
        factors.clear();
    return dims;
  }

  FactorRule rule;
  DimFactors batch, group, head, from, to, width, depth;
};

} // namespace

FactorRule AttentionOp::getFactorRule() {
  AttentionFactors factors(*this, FactorKind::Parallel);
  FactorRule &rule = factors.rule;
  rule.addOperand(factors.query());
  rule.addOperand(factors.key());
  rule.addOperand(factors.value());
  if (getMask())
    rule.addOperand(factors.mask(cast<RankedTensorType>(getMask().getType())));
  if (getOffset())
    rule.addOperand({});
  rule.addResult(factors.result());
  rule.addResult(factors.logSum());
  return rule;
}

/// Heads of a group are whole, and so are positions of the query that are not the key's: they are
/// summed in the gradients of key and value, but not in the gradient of the query.
FactorRule AttentionGradientOp::getFactorRule() {
  AttentionFactors factors(*this, FactorKind::Whole);
  FactorRule &rule = factors.rule;
  rule.addOperand(factors.query());
  rule.addOperand(factors.key());
  rule.addOperand(factors.value());
  rule.addOperand(factors.result());
  rule.addOperand(factors.logSum());
  rule.addOperand(factors.result());
  if (getMask())
    rule.addOperand(factors.mask(cast<RankedTensorType>(getMask().getType())));
  if (getOffset())
    rule.addOperand({});
  rule.addResult(factors.query());
  rule.addResult(factors.key());
  rule.addResult(factors.value());
  return rule;
}

/// The width is whole, because it holds the pairs of a position.
FactorRule RotaryEmbeddingOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  DimFactors batch = rule.addDim(shape[0]), heads = rule.addDim(shape[1]);
  DimFactors positions = rule.addDim(shape[2]);
  DimFactors width = rule.addDim(shape[3], FactorKind::Whole);
  DimFactors half = rule.addDim(shape[3] / 2, FactorKind::Whole);
  rule.addOperand({batch, heads, positions, width});
  TensorFactors angles = {positions, half};
  if (getCosine().getType().getRank() == 3)
    angles.insert(angles.begin(), batch);
  rule.addOperand(angles);
  rule.addOperand(angles);
  rule.addResult({batch, heads, positions, width});
  rule.addLinear(0);
  return rule;
}
