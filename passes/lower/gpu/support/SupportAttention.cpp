// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits attention and its gradients as kernels of any size, which compute in f32. Each thread
// computes one element of the result, including all scores that it needs. The kernels are correct,
// not fast.
//
//   result(i, d)     running maximum, sum, and weighted sum of value(·, d) over the key's positions
//                    (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018)
//   weight(i, j)     exp(score(i, j) - log_sum(i))
//   ofScore(i, j)    weight(i, j) · scale · sum_d given(i, d) · (value(j, d) - result(i, d))
//   query'(i, w)     sum_j ofScore(i, j) key(j, w)
//   key'(j, w)       sum_i ofScore(i, j) query(i, w)        over the heads of j's group
//   value'(j, d)     sum_i weight(i, j) given(i, d)
#include "passes/lower/gpu/support/SupportKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace pcc::lower {

namespace {
using Flag = abi::AttentionFlag;
/// Pointer arguments of an attention kernel.
enum AttentionTensor : unsigned { query, key, value, mask, offset, result, logSum, given, out };

class AttentionEmitter {
public:
  AttentionEmitter(SupportKernel &kernel, Type type)
      : kernel(kernel), b(kernel.b), f32(b.getF32Type()), type(type), batch(kernel.number(0)),
        heads(kernel.number(1)), groups(kernel.number(2)), positions(kernel.number(3)),
        keyPositions(kernel.number(4)), width(kernel.number(5)), depth(kernel.number(6)),
        headsPerGroup(kernel.div(heads, groups)),
        isPositionsFirst(kernel.has(kernel.number(12), Flag::positionsFirst)) {
    Value bits = arith::TruncIOp::create(b, b.getI32Type(), kernel.number(7));
    scale = arith::BitcastOp::create(b, f32, bits);
  }
  void emitForward();
  void emitQuery();
  void emitKey();
  void emitValue();

private:
  /// A position of the query, in a head of a sample. The head also gives the key's group.
  struct Row {
    Value sample, head, at;
  };
  Value load(AttentionTensor tensor, Value place) {
    return kernel.elements.load(tensor == logSum ? f32 : type, kernel.pointer(tensor), place);
  }
  /// Returns the place of a query position in log_sum.
  Value densePlace(const Row &row) {
    return kernel.place({row.sample, row.head, row.at}, {batch, heads, positions});
  }
  /// Returns the place of a position in the tensors of the instruction's layout.
  Value rowPlace(Value sample, Value head, Value at, Value heads, Value positions) {
    return kernel.select(isPositionsFirst,
                         kernel.place({sample, at, head}, {batch, positions, heads}),
                         kernel.place({sample, head, at}, {batch, heads, positions}));
  }
  Value queryPlace(const Row &row) {
    return rowPlace(row.sample, row.head, row.at, heads, positions);
  }
  Value keyPlace(const Row &row, Value to) {
    return rowPlace(row.sample, kernel.div(row.head, headsPerGroup), to, groups, keyPositions);
  }
  /// Stores element `n` of a row.
  void store(Value x, AttentionTensor tensor, Value row, Value size, Value n) {
    kernel.elements.store(x, type, kernel.pointer(tensor), kernel.add(kernel.mul(row, size), n));
  }
  Value element(AttentionTensor tensor, Value row, Value size, Value n) {
    return load(tensor, kernel.add(kernel.mul(row, size), n));
  }
  Value mulF(Value x, Value y) {
    return arith::MulFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value addF(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subF(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value exp(Value x);
  Value isSomething(Value x);
  Value score(const Row &row, Value to);
  Value weight(const Row &row, Value to);
  Value ofScore(const Row &row, Value to);
  /// Emits elements of the key's positions: sums over all query positions that see them.
  void emitOfKey(Value size, function_ref<Value(const Row &, Value to, Value n)> term);

  SupportKernel &kernel;
  ImplicitLocOpBuilder &b;
  Type f32;
  Type type; ///< of all tensors but the logarithms
  Value batch, heads, groups, positions, keyPositions, width, depth, headsPerGroup,
      isPositionsFirst, scale;
};
} // namespace

/// Emits exp for numbers up to zero. The polynomial ends at its last finite values; smaller numbers
/// give 0.
Value AttentionEmitter::exp(Value x) {
  Value vanishes =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, emitNumber(b, f32, -87.3365479));
  return kernel.select(vanishes, kernel.zero(), math::ExpOp::create(b, x));
}

/// Returns whether a score, or the logarithm of a sum, is not -inf, which stands for no value.
Value AttentionEmitter::isSomething(Value x) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, emitNumber(b, f32, -INFINITY));
}

Value AttentionEmitter::score(const Row &row, Value to) {
  IndexMath &math = kernel.math;
  Value own = queryPlace(row), other = keyPlace(row, to), flags = kernel.number(12);
  Value sum = kernel.sum(kernel.zero(), {width}, [&](ArrayRef<Value> i) {
    return mulF(element(query, own, width, i[0]), element(key, other, width, i[0]));
  });
  sum = mulF(sum, scale);
  Value place = math.constant(0);
  Value positionsOfMask[] = {row.sample, row.head, row.at, to};
  for (auto [n, at] : llvm::enumerate(positionsOfMask))
    place = kernel.add(place, kernel.mul(at, kernel.number(8 + n)));
  Value isMasked = kernel.has(flags, Flag::hasMask);
  Value masked = addF(sum, kernel.loadIf(isMasked, type, kernel.pointer(mask), place));
  sum = kernel.select(isMasked, masked, sum);
  Value isGiven = kernel.has(flags, Flag::hasOffset);
  Value shift = kernel.loadIf(isGiven, b.getI64Type(), kernel.pointer(offset), math.constant(0));
  shift = kernel.select(isGiven, shift, kernel.sub(keyPositions, positions));
  Value isBehind =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, to, kernel.add(row.at, shift));
  Value isHidden = kernel.both(kernel.has(flags, Flag::causal), isBehind);
  return kernel.select(isHidden, emitNumber(b, f32, -INFINITY), sum);
}

Value AttentionEmitter::weight(const Row &row, Value to) {
  Value total = load(logSum, densePlace(row));
  Value own = exp(subF(score(row, to), total));
  return kernel.select(isSomething(total), own, kernel.zero());
}

Value AttentionEmitter::ofScore(const Row &row, Value to) {
  Value own = queryPlace(row), other = keyPlace(row, to);
  Value sum = kernel.sum(kernel.zero(), {depth}, [&](ArrayRef<Value> i) {
    Value apart = subF(element(value, other, depth, i[0]), element(result, own, depth, i[0]));
    return mulF(element(given, own, depth, i[0]), apart);
  });
  return mulF(mulF(weight(row, to), scale), sum);
}

void AttentionEmitter::emitForward() {
  SmallVector<Value> sizes = {batch, heads, positions, depth};
  Value count = kernel.mul(kernel.mul(batch, heads), kernel.mul(positions, depth));
  kernel.forEach(count, [&](Value place) {
    SmallVector<Value> at = kernel.split(place, sizes);
    Row row{at[0], at[1], at[2]};
    auto body = [&](Value to, ValueRange carried) -> SmallVector<Value> {
      Value most = carried[0], own = score(row, to);
      Value next = arith::MaximumFOp::create(b, most, own);
      Value shrink = kernel.select(isSomething(most), exp(subF(most, next)), kernel.zero());
      Value weight = kernel.select(isSomething(own), exp(subF(own, next)), kernel.zero());
      Value other = element(value, keyPlace(row, to), depth, at[3]);
      return {next, addF(mulF(carried[1], shrink), weight),
              addF(mulF(carried[2], shrink), mulF(weight, other))};
    };
    SmallVector<Value> sums =
        emitStridedLoop(b, kernel.math.constant(0), keyPositions, kernel.math.constant(1),
                        {emitNumber(b, f32, -INFINITY), kernel.zero(), kernel.zero()}, body);
    Value isSeen = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, sums[1], kernel.zero());
    Value mean = arith::DivFOp::create(b, sums[2], sums[1]);
    store(kernel.select(isSeen, mean, kernel.zero()), result, queryPlace(row), depth, at[3]);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at[3], kernel.math.constant(0));
    emitIf(b, isFirst, [&] {
      Value total = addF(sums[0], math::LogOp::create(b, sums[1]));
      total = kernel.select(isSeen, total, emitNumber(b, f32, -INFINITY));
      kernel.elements.store(total, f32, kernel.pointer(logSum), densePlace(row));
    });
  });
}

void AttentionEmitter::emitQuery() {
  Value count = kernel.mul(kernel.mul(batch, heads), kernel.mul(positions, width));
  kernel.forEach(count, [&](Value place) {
    SmallVector<Value> at = kernel.split(place, {batch, heads, positions, width});
    Row row{at[0], at[1], at[2]};
    Value sum = kernel.sum(kernel.zero(), {keyPositions}, [&](ArrayRef<Value> to) {
      return mulF(ofScore(row, to[0]), element(key, keyPlace(row, to[0]), width, at[3]));
    });
    store(sum, out, queryPlace(row), width, at[3]);
  });
}

void AttentionEmitter::emitOfKey(Value size, function_ref<Value(const Row &, Value, Value)> term) {
  Value count = kernel.mul(kernel.mul(batch, groups), kernel.mul(keyPositions, size));
  kernel.forEach(count, [&](Value place) {
    SmallVector<Value> at = kernel.split(place, {batch, groups, keyPositions, size});
    Value sum = kernel.sum(kernel.zero(), {headsPerGroup, positions}, [&](ArrayRef<Value> i) {
      Row row{at[0], kernel.add(kernel.mul(at[1], headsPerGroup), i[0]), i[1]};
      return term(row, at[2], at[3]);
    });
    store(sum, out, rowPlace(at[0], at[1], at[2], groups, keyPositions), size, at[3]);
  });
}

void AttentionEmitter::emitKey() {
  emitOfKey(width, [&](const Row &row, Value to, Value n) {
    return mulF(ofScore(row, to), element(query, queryPlace(row), width, n));
  });
}

void AttentionEmitter::emitValue() {
  emitOfKey(depth, [&](const Row &row, Value to, Value n) {
    return mulF(weight(row, to), element(given, queryPlace(row), depth, n));
  });
}

void emitAttentionKernel(gpu::GPUModuleOp kernels, const std::string &suffix, Type type) {
  SupportKernel kernel(kernels, "pcc_attention" + suffix, /*pointers=*/7, /*numbers=*/13);
  AttentionEmitter(kernel, type).emitForward();
}

void emitAttentionGradientKernels(gpu::GPUModuleOp kernels, const std::string &suffix, Type type) {
  auto emit = [&](const char *name, void (AttentionEmitter::*body)()) {
    SupportKernel kernel(kernels, name + suffix, /*pointers=*/9, /*numbers=*/13);
    AttentionEmitter emitter(kernel, type);
    (emitter.*body)();
  };
  emit("pcc_attention_query", &AttentionEmitter::emitQuery);
  emit("pcc_attention_key", &AttentionEmitter::emitKey);
  emit("pcc_attention_value", &AttentionEmitter::emitValue);
}

} // namespace pcc::lower
