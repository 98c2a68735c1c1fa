// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes elements of ops that read their operands at other indices.
#include "passes/lower/elements/Elements.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Emits the element at `index` of one op's result.
struct Mapped {
  Elements &elements;
  const Index &index;
  ImplicitLocOpBuilder &b = elements.b;
  IndexMath &math = elements.math;

  Value start(Value scalar, int64_t size, int64_t taken) {
    return math.clamp(elements.positionAt(scalar, {}), size - taken + 1);
  }
  /// low ≤ value < high.
  Value inside(Value value, int64_t low, int64_t high) {
    Value offset = arith::SubIOp::create(b, value, math.constant(low));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset, math.constant(high - low));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  /// Returns the operand's element at a position shifted by -`low`. The position is clamped into
  /// the operand, so that the element may be read even if it is not used.
  Value shifted(Value operand, unsigned axis, Value at, int64_t low) {
    int64_t size = shapeOf(operand)[axis];
    Value moved = arith::SubIOp::create(b, at, math.constant(low));
    return elements.at(operand, math.replace(index, axis, math.clamp(moved, size), size));
  }

  Value transpose(TransposeOp op) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    Index operand(permutation.size());
    for (auto [dim, from] : llvm::enumerate(permutation))
      operand[from] = {math.at(index, dim), {shapeOf(op.getInput())[from]}};
    return elements.at(op.getInput(), operand);
  }

  Value slice(SliceOp op) {
    Value moved = math.at(index, op.getAxis());
    moved = arith::MulIOp::create(b, moved, math.constant(op.getStride()));
    moved = arith::AddIOp::create(b, moved, math.constant(op.getStart()));
    return elements.at(op.getInput(), math.replace(index, op.getAxis(), moved,
                                                   shapeOf(op.getInput())[op.getAxis()]));
  }

  Value dynamicSlice(DynamicSliceOp op) {
    unsigned axis = op.getAxis();
    int64_t size = shapeOf(op.getInput())[axis];
    Value from = start(op.getStart(), size, shapeOf(op.getResult())[axis]);
    Value moved = math.add(math.at(index, axis), from);
    return elements.at(op.getInput(), math.replace(index, axis, moved, size));
  }

  Value dynamicUpdateSlice(DynamicUpdateSliceOp op) {
    unsigned axis = op.getAxis();
    int64_t size = shapeOf(op.getInput())[axis], taken = shapeOf(op.getUpdate())[axis];
    Value offset =
        arith::SubIOp::create(b, math.at(index, axis), start(op.getStart(), size, taken));
    Value update =
        elements.at(op.getUpdate(), math.replace(index, axis, math.clamp(offset, taken), taken));
    return select(inside(offset, 0, taken), update, elements.at(op.getInput(), index));
  }

  Value pad(PadOp op) {
    unsigned axis = op.getAxis();
    int64_t size = shapeOf(op.getInput())[axis], low = op.getLow();
    Type type = getElementTypeOrSelf(op.getType());
    Value filler = emitNumber(b, isa<FloatType>(type) ? computeType(type) : type,
                              op.getValue().convertToDouble());
    Value at = math.at(index, axis);
    return select(inside(at, low, low + size), shifted(op.getInput(), axis, at, low), filler);
  }

  Value concat(ConcatOp op) {
    unsigned axis = op.getAxis();
    Value at = math.at(index, axis), result;
    int64_t end = 0;
    for (Value input : op.getInputs()) {
      int64_t size = shapeOf(input)[axis];
      Value element = shifted(input, axis, at, end);
      result = result ? select(inside(at, end, end + size), element, result) : element;
      end += size;
    }
    return result;
  }

  Value gather(GatherOp op) {
    unsigned axis = op.getAxis(), rank = op.getType().getRank();
    unsigned indexRank = op.getIndices().getType().getRank();
    int64_t size = shapeOf(op.getInput())[axis];
    Value row = elements.positionAt(op.getIndices(), math.range(index, axis, axis + indexRank));
    Index operand = math.range(index, 0, axis);
    operand.push_back({math.clamp(row, size), {size}});
    operand.append(math.range(index, axis + indexRank, rank));
    return elements.at(op.getInput(), operand);
  }

  Value oneHot(OneHotOp op) {
    unsigned axis = op.getAxis(), rank = op.getType().getRank();
    Index labels = math.range(index, 0, axis);
    labels.append(math.range(index, axis + 1, rank));
    Value label = elements.positionAt(op.getIndices(), labels);
    Value hit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, label, math.at(index, axis));
    Type type = getElementTypeOrSelf(op.getType());
    Type number = isa<FloatType>(type) ? computeType(type) : type;
    return select(hit, emitNumber(b, number, 1), emitNumber(b, number, 0));
  }

  /// Emits SplitMix64's finalizer.
  Value mix(Value word) {
    for (auto [shift, factor] :
         {std::pair(30, 0xbf58476d1ce4e5b9u), {27, 0x94d049bb133111ebu}, {31, 1u}}) {
      Value high = arith::ShRUIOp::create(b, word, math.constant(shift));
      word = arith::XOrIOp::create(b, word, high);
      if (factor != 1)
        word = arith::MulIOp::create(b, word, math.constant(int64_t(factor)));
    }
    return word;
  }

  /// Emits the highest 24 of the 64 bits that runtime/abi/Random.h gives for (seed, stream 0,
  /// index).
  Value uniform(RngUniformOp op) {
    Value golden = math.constant(int64_t(0x9e3779b97f4a7c15u));
    Value seed = elements.positionAt(op.getSeed(), {});
    Value counter = arith::MulIOp::create(b, elements.at(op.getIndex(), index), golden);
    Value key = mix(mix(arith::AddIOp::create(b, seed, golden)));
    Value bits = mix(arith::AddIOp::create(b, key, counter));
    bits = arith::ShRUIOp::create(b, bits, math.constant(40));
    Value number = arith::SIToFPOp::create(b, b.getF32Type(), bits);
    return arith::MulFOp::create(b, number, emitNumber(b, b.getF32Type(), 0x1p-24));
  }
};
} // namespace

Value Elements::computeMapped(Operation *op, const Index &index) {
  Mapped mapped{*this, index};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](TransposeOp op) { return mapped.transpose(op); })
      .Case([&](SliceOp op) { return mapped.slice(op); })
      .Case([&](DynamicSliceOp op) { return mapped.dynamicSlice(op); })
      .Case([&](DynamicUpdateSliceOp op) { return mapped.dynamicUpdateSlice(op); })
      .Case([&](PadOp op) { return mapped.pad(op); })
      .Case([&](ConcatOp op) { return mapped.concat(op); })
      .Case([&](GatherOp op) { return mapped.gather(op); })
      .Case([&](OneHotOp op) { return mapped.oneHot(op); })
      .Case([&](RngUniformOp op) { return mapped.uniform(op); })
      .Default([](Operation *op) -> Value { llvm_unreachable("an op that no kernel computes"); });
}

} // namespace pcc::lower
