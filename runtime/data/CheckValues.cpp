// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans the values in the type in which they are stored, before any batch is read. Values that are
// no integers or do not fit an int64 are illegal too.

#include "runtime/data/CheckValues.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Heartbeat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace pcc::runtime {
namespace {

/// The integers that an input may hold; the greatest is not negative.
struct Legal {
  int64_t min = std::numeric_limits<int64_t>::min();
  uint64_t max = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> ignored = {};

  bool holds(int64_t value) const {
    return (min <= value && (value < 0 || uint64_t(value) <= max)) || value == ignored;
  }
  bool holds(uint64_t value) const {
    bool fits = value <= uint64_t(std::numeric_limits<int64_t>::max());
    return fits ? holds(int64_t(value)) : value <= max;
  }
  bool holds(double value) const {
    // Numbers outside these bounds do not fit an integer.
    if (value != std::trunc(value) || value < -0x1p63 || value >= 0x1p64)
      return false;
    return value < 0 ? holds(int64_t(value)) : holds(uint64_t(value));
  }
  std::string describe() const {
    std::string text = fmt::format("from {} to {}", min, max);
    return ignored ? text + fmt::format(" or {}", *ignored) : text;
  }
};

template <typename Integer> Legal valuesOf() {
  return {std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};
}

Legal valuesOf(abi::ElementType type) {
  switch (type) {
  case abi::I8:
    return valuesOf<int8_t>();
  case abi::I16:
    return valuesOf<int16_t>();
  case abi::I32:
    return valuesOf<int32_t>();
  case abi::U8:
    return valuesOf<uint8_t>();
  case abi::U16:
    return valuesOf<uint16_t>();
  case abi::U32:
    return valuesOf<uint32_t>();
  case abi::U64:
    return valuesOf<uint64_t>();
  default:
    return {};
  }
}

Legal legalOf(const abi::Input &input, bool allowsNegative) {
  Legal legal = valuesOf(input.block().type());
  if (!input.has_range())
    return legal;
  if (input.range().greatest() >= 0)
    legal.max = std::min(legal.max, uint64_t(input.range().greatest()));
  if (!allowsNegative)
    legal.min = std::max(legal.min, input.range().least());
  if (input.range().has_ignored())
    legal.ignored = input.range().ignored();
  return legal;
}

/// Returns the position of the first illegal value; the number of values if all are legal.
template <typename T, typename Wide> int64_t findIllegal(const Field &field, const Legal &legal) {
  const T *values = reinterpret_cast<const T *>(field.values.data());
  int64_t count = int64_t(field.values.size() / sizeof(T));
  return std::find_if(values, values + count, [&](T value) { return !legal.holds(Wide(value)); }) -
         values;
}

int64_t findIllegal(const Field &field, const Legal &legal) {
  switch (field.storage) {
  case Storage::F32:
    return findIllegal<float, double>(field, legal);
  case Storage::F64:
    return findIllegal<double, double>(field, legal);
  case Storage::I32:
    return findIllegal<int32_t, int64_t>(field, legal);
  case Storage::I64:
    return findIllegal<int64_t, int64_t>(field, legal);
  case Storage::I8:
    return findIllegal<int8_t, int64_t>(field, legal);
  case Storage::I16:
    return findIllegal<int16_t, int64_t>(field, legal);
  case Storage::U16:
    return findIllegal<uint16_t, int64_t>(field, legal);
  case Storage::U32:
    return findIllegal<uint32_t, int64_t>(field, legal);
  case Storage::U64:
    return findIllegal<uint64_t, uint64_t>(field, legal);
  default:
    return findIllegal<uint8_t, int64_t>(field, legal);
  }
}

std::string valueAt(const Field &field, int64_t place) {
  if (field.storage == Storage::F32)
    return fmt::format("{}", reinterpret_cast<const float *>(field.values.data())[place]);
  if (field.storage == Storage::F64)
    return fmt::format("{}", reinterpret_cast<const double *>(field.values.data())[place]);
  if (field.storage == Storage::U64)
    return fmt::format("{}", reinterpret_cast<const uint64_t *>(field.values.data())[place]);
  return fmt::format("{}", field.integerAt(0, place));
}

Status checkField(const Dataset &dataset, const Field &field, const abi::Input &input,
                  const Legal &legal) {
  int64_t place = findIllegal(field, legal), elements = field.rowElements();
  if (place == dataset.rows * elements)
    return {};
  std::string where = fmt::format("row {}", place / elements);
  if (elements > 1)
    where += fmt::format(", element {}", place % elements);
  std::string value = valueAt(field, place);
  // A class is at least 0, while an index of a table may count from its end.
  bool isClass = input.has_range() && input.range().least() == 0 && !legal.ignored;
  return Status::badInput(fmt::format(
      "{}: {}: expected integers {} for the input '{}', got {}{}",
      field.path.empty() ? dataset.name : field.path, where, legal.describe(), input.name(), value,
      isClass && value.starts_with('-')
          ? fmt::format("; if such a label does not count, add 'ignore_index={}' to '--loss'",
                        value)
          : ""));
}

bool isLabelOfMetric(const abi::Program &program, int input) {
  return std::any_of(program.metrics().begin(), program.metrics().end(),
                     [&](const abi::Metric &metric) { return int(metric.label()) == input; });
}

} // namespace

Expected<std::vector<int>> bindCheckedFields(const Dataset &dataset, const abi::Program &program,
                                             DataPurpose purpose) {
  Expected<std::vector<int>> fieldOf = bindFields(dataset, program);
  if (!fieldOf)
    return fieldOf;
  for (int i = 0; i < program.inputs_size(); ++i) {
    const abi::Input &input = program.inputs(i);
    abi::ElementType type = input.block().type();
    if (!abi::isInteger(type) || type == abi::BOOL) // every nonzero value is true
      continue;
    bool allowsNegative = purpose == DataPurpose::Evaluation && isLabelOfMetric(program, i);
    if (Status status = checkField(dataset, dataset.fields[(*fieldOf)[i]], input,
                                   legalOf(input, allowsNegative));
        !status.ok())
      return status;
    abi::beat();
  }
  return fieldOf;
}

} // namespace pcc::runtime
