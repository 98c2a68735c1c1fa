// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of attention: consistent sizes, operands within their buffers.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/validate/Checker.h"

#include <algorithm>
#include <cmath>

namespace pcc::abi {
namespace {

/// An operand and its size.
struct Range {
  const char *name;
  const Operand &operand;
  uint64_t bytes;
  ElementType type;
  bool written;
};

uint64_t bytesOf(std::initializer_list<int64_t> shape, ElementType type) {
  std::optional<int64_t> count = elementCount(shape);
  return isSize(count) ? *count * elementBytes(type) : ~uint64_t(0);
}

std::vector<Range> rangesOf(const Attention &a) {
  ElementType type = a.type();
  uint64_t query = bytesOf({a.batch(), a.heads(), a.positions(), a.width()}, type);
  uint64_t key = bytesOf({a.batch(), a.groups(), a.key_positions(), a.width()}, type);
  uint64_t value = bytesOf({a.batch(), a.groups(), a.key_positions(), a.depth()}, type);
  uint64_t result = bytesOf({a.batch(), a.heads(), a.positions(), a.depth()}, type);
  uint64_t logSum = bytesOf({a.batch(), a.heads(), a.positions()}, F32);
  bool isForward = !a.has_gradients();
  std::vector<Range> ranges = {{"query", a.query(), query, type, false},
                               {"key", a.key(), key, type, false},
                               {"value", a.value(), value, type, false},
                               {"result", a.result(), result, type, isForward},
                               {"log_sum", a.log_sum(), logSum, F32, isForward}};
  if (a.has_mask())
    ranges.push_back(
        {"mask", a.mask(),
         bytesOf({a.mask_shape(0), a.mask_shape(1), a.mask_shape(2), a.mask_shape(3)}, type), type,
         false});
  if (a.has_offset())
    ranges.push_back({"offset", a.offset(), elementBytes(I64), I64, false});
  if (!isForward) {
    ranges.push_back({"gradients.result", a.gradients().result(), result, type, false});
    ranges.push_back({"gradients.query", a.gradients().query(), query, type, true});
    ranges.push_back({"gradients.key", a.gradients().key(), key, type, true});
    ranges.push_back({"gradients.value", a.gradients().value(), value, type, true});
  }
  return ranges;
}

/// Checks that operands lie within their buffers and that written operands overlap no other
/// operand.
void checkOperands(const OperandChecks &operands, const std::vector<Range> &ranges) {
  for (const Range &range : ranges)
    operands.room(range.name, range.operand, range.bytes, elementBytes(range.type), range.written);
  for (const Range &written : ranges)
    for (const Range &other : ranges)
      if (written.written && &other != &written && operands.checker.ok())
        operands.overlap(written.operand, written.bytes, other.operand, other.bytes, false);
}

} // namespace

void checkAttention(const OperandChecks &operands, const Attention &attention) {
  Checker &checker = operands.checker;
  Checker::Scope scope(checker, "attention");
  int64_t sizes[] = {attention.batch(),        attention.heads(), attention.groups(),
                     attention.positions(),    attention.width(), attention.depth(),
                     attention.key_positions()};
  auto inRange = [](int64_t extent) { return extent >= 1 && extent < (int64_t(1) << 31); };
  if (!checker.expect(std::all_of(std::begin(sizes), std::end(sizes), inRange) &&
                          attention.heads() % attention.groups() == 0,
                      "expected sizes from 1 on and groups that divide the heads, got {} of {}",
                      attention.groups(), attention.heads()))
    return;
  ElementType type = attention.type();
  checker.expect(type == F32 || type == F16 || type == BF16,
                 "type: expected f32, f16 or bf16, got {}", elementName(type));
  checker.expect(std::isfinite(attention.scale()), "scale: expected a finite number");
  int64_t scores[] = {attention.batch(), attention.heads(), attention.positions(),
                      attention.key_positions()};
  const auto &mask = attention.mask_shape();
  bool fits =
      mask.size() == (attention.has_mask() ? 4 : 0) &&
      std::equal(mask.begin(), mask.end(), std::begin(scores), std::begin(scores) + mask.size(),
                 [](int64_t size, int64_t full) { return size == 1 || size == full; });
  checker.expect(fits, "mask_shape: expected 4 sizes of 1 or of the scores beside a mask");
  if (checker.ok())
    checkOperands(operands, rangesOf(attention));
}

} // namespace pcc::abi
