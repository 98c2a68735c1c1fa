// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the attention instruction. Labels (T1…) are those of docs/spec/task.md.
#include "dialects/task/Task.h"

using namespace mlir;
using namespace pcc::task;

static ArrayRef<int64_t> shapeOf(Value buffer) {
  return cast<ShapedType>(buffer.getType()).getShape();
}

static Type elementOf(Value buffer) { return cast<ShapedType>(buffer.getType()).getElementType(); }

/// Returns the shape of query, key, value or result, with the heads before the positions.
static SmallVector<int64_t> headsFirst(AttentionOp op, Value buffer) {
  SmallVector<int64_t> shape(shapeOf(buffer));
  if (op.getPositionsFirst() && shape.size() == 4)
    std::swap(shape[1], shape[2]);
  return shape;
}

/// Returns whether the mask has, in each dimension, the size of the scores or 1.
static bool fitsScores(Value mask, ArrayRef<int64_t> scores) {
  return shapeOf(mask).size() == scores.size() &&
         llvm::all_of(llvm::zip(shapeOf(mask), scores), [](auto sizes) {
           return std::get<0>(sizes) == 1 || std::get<0>(sizes) == std::get<1>(sizes);
         });
}

/// Returns whether all buffers have the query's type, which is a float type; the logarithms are
/// f32.
static bool haveOneType(AttentionOp op) {
  Type type = elementOf(op.getQuery());
  SmallVector<Value> others = {op.getKey(), op.getValue(), op.getResult()};
  llvm::append_range(others, op.getGradients());
  if (op.getMask())
    others.push_back(op.getMask());
  return (type.isF32() || type.isF16() || type.isBF16()) && elementOf(op.getLogSum()).isF32() &&
         llvm::all_of(others, [&](Value other) { return elementOf(other) == type; });
}

// T14: buffers of one type in the shapes of one attention, an i64 offset, none or four gradients.
LogicalResult AttentionOp::verify() {
  if (!haveOneType(*this))
    return emitOpError() << "expected buffers of one of f32, f16, bf16, and logarithms of f32";
  SmallVector<int64_t> query = headsFirst(*this, getQuery()), key = headsFirst(*this, getKey()),
                       value = headsFirst(*this, getValue());
  if (query.size() != 4 || key.size() != 4 || value.size() != 4)
    return emitOpError() << "expected query, key and value of rank 4, got " << query.size() << ", "
                         << key.size() << " and " << value.size();
  int64_t result[] = {query[0], query[1], query[2], value[3]};
  int64_t scores[] = {query[0], query[1], query[2], key[2]};
  bool fits = key[0] == query[0] && key[3] == query[3] && query[1] % key[1] == 0 &&
              ArrayRef(value).drop_back() == ArrayRef(key).drop_back() &&
              ArrayRef(headsFirst(*this, getResult())) == ArrayRef(result) &&
              shapeOf(getLogSum()) == ArrayRef(result).drop_back();
  if (!fits || (getMask() && !fitsScores(getMask(), scores)))
    return emitOpError() << "expected shapes of an attention, got [" << shapeOf(getQuery())
                         << "], [" << shapeOf(getKey()) << "], [" << shapeOf(getValue())
                         << "] into [" << shapeOf(getResult()) << "]";
  if (getOffset() &&
      getOffset().getType() != MemRefType::get({}, IntegerType::get(getContext(), 64)))
    return emitOpError() << "expected an offset of one i64, got " << getOffset().getType();
  if (getGradients().empty())
    return success();
  bool matches = getGradients().size() == 4;
  Value sources[] = {getResult(), getQuery(), getKey(), getValue()};
  for (auto [gradient, of] : llvm::zip(getGradients(), sources))
    matches &= gradient.getType() == of.getType();
  if (!matches)
    return emitOpError() << "expected gradients of result, query, key and value, or none";
  return success();
}
