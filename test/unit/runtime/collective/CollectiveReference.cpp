// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/collective/CollectiveReference.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <cstring>

namespace pcc::test {
namespace {

using runtime::Box;
using runtime::CollectiveCall;
using Shape = std::vector<int64_t>;

int64_t product(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Shape indexOf(const Shape &shape, int64_t linear) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0; linear /= shape[d])
    index[d] = linear % shape[d];
  return index;
}

int64_t linearOf(const Shape &shape, const Shape &index) {
  int64_t linear = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    linear = linear * shape[d] + index[d];
  return linear;
}

double combine(const CollectiveCall &call, double a, double b) {
  bool logical = call.type == abi::BOOL;
  switch (call.reduction) {
  case abi::MAX:
    return std::max(a, b);
  case abi::MIN:
    return std::min(a, b);
  case abi::PROD:
    return a * b;
  default:
    return logical ? std::max(a, b) : a + b;
  }
}

Values reduced(const CollectiveCall &call, const std::vector<Values> &sources) {
  Values total = sources[0];
  for (size_t m = 1; m < sources.size(); ++m)
    for (size_t i = 0; i < total.size(); ++i)
      total[i] = combine(call, total[i], sources[m][i]);
  return total;
}

void copyBox(const CollectiveCall &call, const Box &box, const Values &source, const Shape &shape,
             Values &target) {
  for (int64_t i = 0; i < product(box.size); ++i) {
    Shape from = indexOf(box.size, i), to = from;
    for (size_t d = 0; d < from.size(); ++d) {
      from[d] += box.sourceStart[d];
      to[d] += box.targetStart[d];
    }
    double value = source[linearOf(call.shape, from)];
    double &place = target[linearOf(shape, to)];
    place = call.reduceBoxes ? combine(call, place, value) : value;
  }
}

/// Returns the boxes that a collective kind moves, so that all moving kinds share one reference.
std::vector<Box> boxesOf(const CollectiveCall &call, int members, Shape &targetShape) {
  targetShape = call.shape;
  std::vector<Box> boxes;
  Shape zero(call.shape.size(), 0);
  for (int s = 0; s < members; ++s)
    for (int t = 0; t < members; ++t) {
      Box box{s, t, zero, call.shape, zero};
      if (call.kind == abi::ALL_GATHER) {
        targetShape[call.axis] = call.shape[call.axis] * members;
        box.targetStart[call.axis] = s * call.shape[call.axis];
      } else if (call.kind == abi::ALL_TO_ALL) {
        box.size[call.axis] /= members;
        targetShape = box.size;
        targetShape[call.concatAxis] *= members;
        box.sourceStart[call.axis] = t * box.size[call.axis];
        box.targetStart[call.concatAxis] = s * box.size[call.concatAxis];
      } else if (s != call.root) { // BROADCAST
        continue;
      }
      boxes.push_back(box);
    }
  return boxes;
}

} // namespace

Values decode(abi::ElementType type, const std::byte *bytes, int64_t count) {
  Values values(count);
  auto each = [&](auto element, auto convert) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(&element, bytes + i * sizeof element, sizeof element);
      values[i] = convert(element);
    }
  };
  auto plain = [](auto element) { return double(element); };
  auto half = [](auto element) { return double(runtime::toFloat(element)); };
  switch (type) {
  case abi::F32:
    each(float(), plain);
    break;
  case abi::F16:
    each(runtime::Float16(), half);
    break;
  case abi::BF16:
    each(runtime::BFloat16(), half);
    break;
  case abi::I32:
    each(int32_t(), plain);
    break;
  case abi::I64:
    each(int64_t(), plain);
    break;
  case abi::F64:
    each(double(), plain);
    break;
  case abi::U32:
    each(uint32_t(), plain);
    break;
  case abi::U64:
    each(uint64_t(), plain);
    break;
  default:
    each(int8_t(), plain);
  }
  return values;
}

std::vector<std::byte> encode(abi::ElementType type, const Values &values) {
  std::vector<std::byte> bytes(values.size() * abi::elementBytes(type));
  for (size_t i = 0; i < values.size(); ++i) {
    auto put = [&](auto element) {
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    };
    switch (type) {
    case abi::F32:
      put(float(values[i]));
      break;
    case abi::F16:
      put(runtime::toFloat16(float(values[i])));
      break;
    case abi::BF16:
      put(runtime::toBFloat16(float(values[i])));
      break;
    case abi::I32:
      put(int32_t(values[i]));
      break;
    case abi::I64:
      put(int64_t(values[i]));
      break;
    case abi::F64:
      put(values[i]);
      break;
    case abi::U32:
      put(uint32_t(values[i]));
      break;
    case abi::U64:
      put(uint64_t(values[i]));
      break;
    default:
      put(int8_t(values[i]));
    }
  }
  return bytes;
}

int64_t destinationCount(const CollectiveCall &call, int members) {
  if (call.kind == abi::ALL_GATHER)
    return call.count() * members;
  if (call.kind == abi::REDUCE_SCATTER)
    return call.count() / members;
  if (call.kind == abi::BLOCK_EXCHANGE)
    return product(call.targetShape);
  return call.count();
}

std::vector<Values> referenceOf(const CollectiveCall &call, const std::vector<Values> &sources,
                                const std::vector<Values> &before) {
  int members = int(sources.size());
  std::vector<Values> after = before;
  Values total = reduced(call, sources);
  Shape targetShape = call.kind == abi::BLOCK_EXCHANGE ? call.targetShape : call.shape;
  std::vector<Box> boxes = call.boxes;
  switch (call.kind) {
  case abi::ALL_REDUCE:
    return std::vector<Values>(members, total);
  case abi::REDUCE:
    after.assign(members, Values(call.count(), 0));
    after[call.root] = total;
    return after;
  case abi::REDUCE_SCATTER: {
    Shape block = call.shape, zero(call.shape.size(), 0);
    block[call.axis] /= members;
    for (int t = 0; t < members; ++t) {
      Box box{0, t, zero, block, zero};
      box.sourceStart[call.axis] = t * block[call.axis];
      copyBox(call, box, total, block, after[t]);
    }
    return after;
  }
  case abi::COLLECTIVE_PERMUTE:
    after.assign(members, Values(call.count(), 0));
    break;
  case abi::BLOCK_EXCHANGE:
    if (call.reduceBoxes)
      after.assign(members, Values(product(targetShape), 0));
    break;
  default:
    boxes = boxesOf(call, members, targetShape);
  }
  for (const Box &box : boxes)
    copyBox(call, box, sources[box.source], targetShape, after[box.target]);
  return after;
}

} // namespace pcc::test
