// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits index arithmetic with as few divisions as possible. A dimension is split off only when an
// op needs it alone. Quotient and remainder of one position are recognized and joined again.
#include "passes/lower/elements/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;

namespace pcc::lower {

static int64_t productOf(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

int64_t Segment::count() const { return productOf(extents); }

Value IndexMath::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    known = arith::ConstantIntOp::create(builder, value, 64);
  }
  return known;
}

bool isVisible(OpBuilder &builder, Value value) {
  for (Block *block = builder.getInsertionBlock(); block;
       block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
    if (block == value.getParentBlock())
      return true;
  return false;
}

template <typename Op, typename... Flags> Value IndexMath::emit(Value a, Value b, Flags... flags) {
  Value &value = emitted[{TypeID::get<Op>(), a, b}];
  if (!value || !isVisible(builder, value))
    value = Op::create(builder, a, b, flags...);
  return value;
}

/// Positions fit in 63 bits, so sums and products never wrap.
static constexpr auto noWrap = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

Value IndexMath::add(Value a, Value b) { return emit<arith::AddIOp>(a, b, noWrap); }
Value IndexMath::mul(Value a, int64_t factor) {
  return factor == 1 ? a : emit<arith::MulIOp>(a, constant(factor), noWrap);
}
Value IndexMath::div(Value a, int64_t divisor) {
  return divisor == 1 ? a : emit<arith::DivUIOp>(a, constant(divisor));
}
Value IndexMath::rem(Value a, int64_t divisor) {
  return divisor == 1 ? constant(0) : emit<arith::RemUIOp>(a, constant(divisor));
}
Value IndexMath::clamp(Value value, int64_t size) {
  return emit<arith::MinSIOp>(emit<arith::MaxSIOp>(value, constant(0)), constant(size - 1));
}

/// Returns the position whose quotient is `outer` and whose remainder is `inner`, divided by the
/// number of elements of `inner`. Returns null if the two segments are positions of their own.
static Value joined(const Segment &outer, const Segment &inner) {
  auto quotient = outer.position.getDefiningOp<arith::DivUIOp>();
  auto remainder = inner.position.getDefiningOp<arith::RemUIOp>();
  bool isCut = quotient && remainder && quotient.getLhs() == remainder.getLhs() &&
               getConstantIntValue(quotient.getRhs()) == inner.count() &&
               getConstantIntValue(remainder.getRhs()) == inner.count();
  return isCut ? quotient.getLhs() : Value();
}

/// Drops segments with one position, and joins adjacent segments that are parts of one position.
static Index withoutCuts(ArrayRef<Segment> index) {
  Index whole;
  for (Segment segment : index) {
    if (segment.count() == 1)
      continue;
    while (!whole.empty()) {
      Value position = joined(whole.back(), segment);
      if (!position)
        break;
      Segment outer = whole.pop_back_val();
      segment = {position, {outer.count(), segment.count()}};
    }
    whole.push_back(segment);
  }
  return whole;
}

Value IndexMath::linear(ArrayRef<Segment> index) {
  Index whole = withoutCuts(index);
  Value sum;
  int64_t stride = 1;
  for (const Segment &segment : llvm::reverse(whole)) {
    Value term = mul(segment.position, stride);
    sum = sum ? add(term, sum) : term;
    stride *= segment.count();
  }
  return sum ? sum : constant(0);
}

Index IndexMath::regroup(const Index &index, ArrayRef<int64_t> shape) {
  Index result;
  size_t dim = 0;
  for (size_t next = 0; next < index.size();) {
    // The shortest run of segments and of dimensions with the same number of elements.
    Index run;
    SmallVector<int64_t, 4> extents;
    int64_t have = 1, want = 1;
    do {
      bool takeSegment = run.empty() || (have < want && next < index.size());
      if (takeSegment) {
        have *= index[next].count();
        run.push_back(index[next++]);
      } else {
        want *= shape[dim];
        extents.push_back(shape[dim++]);
      }
    } while (have != want);
    result.push_back({run.size() == 1 ? run[0].position : linear(run), extents});
  }
  if (dim < shape.size()) // only dimensions of size 1 are left
    result.push_back({constant(0), SmallVector<int64_t, 4>(shape.drop_front(dim))});
  return result;
}

Index IndexMath::cut(const Index &index, unsigned dim) {
  Index result;
  unsigned first = 0;
  for (const Segment &segment : index) {
    unsigned last = first + segment.extents.size();
    if (dim <= first || dim >= last) {
      result.push_back(segment);
    } else {
      ArrayRef<int64_t> extents(segment.extents);
      Segment outer{{}, SmallVector<int64_t, 4>(extents.take_front(dim - first))};
      Segment inner{{}, SmallVector<int64_t, 4>(extents.drop_front(dim - first))};
      bool isOuterOne = outer.count() == 1, isInnerOne = inner.count() == 1;
      outer.position = isOuterOne ? constant(0) : div(segment.position, inner.count());
      inner.position = isInnerOne   ? constant(0)
                       : isOuterOne ? segment.position
                                    : rem(segment.position, inner.count());
      result.push_back(outer);
      result.push_back(inner);
    }
    first = last;
  }
  return result;
}

Index IndexMath::range(const Index &index, unsigned first, unsigned last) {
  Index result;
  unsigned dim = 0;
  for (const Segment &segment : cut(cut(index, first), last)) {
    if (dim >= first && dim < last && !segment.extents.empty())
      result.push_back(segment);
    dim += segment.extents.size();
  }
  return result;
}

Value IndexMath::at(const Index &index, unsigned dim) {
  return range(index, dim, dim + 1).front().position;
}

Index IndexMath::replace(const Index &index, unsigned dim, Value position, int64_t extent) {
  unsigned rank = 0;
  for (const Segment &segment : index)
    rank += segment.extents.size();
  Index result = range(index, 0, dim);
  result.push_back({position, {extent}});
  result.append(range(index, dim + 1, rank));
  return result;
}

Index IndexMath::unbroadcast(const Index &index, ArrayRef<int64_t> dims,
                             ArrayRef<int64_t> inputShape) {
  Index result;
  unsigned next = 0, first = 0;
  for (const Segment &segment : index) {
    unsigned last = first + segment.extents.size();
    // The input's dimensions inside this segment.
    SmallVector<int64_t, 4> own;
    unsigned from = next;
    for (; next < dims.size() && dims[next] < last; ++next)
      own.push_back(inputShape[next]);
    if (productOf(own) == segment.count()) {
      result.push_back({segment.position, own});
    } else if (productOf(own) == 1) {
      result.push_back({constant(0), own});
    } else {
      Index alone(1, segment);
      for (unsigned i = from; i < next; ++i)
        result.push_back(
            {inputShape[i] == 1 ? constant(0) : at(alone, dims[i] - first), {inputShape[i]}});
    }
    first = last;
  }
  return result;
}

} // namespace pcc::lower
