// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans the values in the type in which they are stored. Values that are no integers or do not fit
// an int64 are illegal too. A mapped file is also checked when its rows are read, since another
// program may write to it.

#include "runtime/data/batches/CheckValues.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Heartbeat.h"
#include "runtime/data/StoredTypes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace pcc::runtime {
namespace {

/// The least and the greatest integer of a type.
struct Extremes {
  int64_t min = std::numeric_limits<int64_t>::min();
  uint64_t max = std::numeric_limits<int64_t>::max();
};

template <typename Integer> Extremes extremesOf() {
  return {std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};
}

Extremes extremesOf(abi::ElementType type) {
  switch (type) {
  case abi::I8:
    return extremesOf<int8_t>();
  case abi::I16:
    return extremesOf<int16_t>();
  case abi::I32:
    return extremesOf<int32_t>();
  case abi::U8:
    return extremesOf<uint8_t>();
  case abi::U16:
    return extremesOf<uint16_t>();
  case abi::U32:
    return extremesOf<uint32_t>();
  case abi::U64:
    return extremesOf<uint64_t>();
  default:
    return {};
  }
}

/// The type in which stored values of type T are compared.
template <typename T>
using Compared =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>>;

/// An illegal value: its position in the piece, and its text.
struct Illegal {
  int64_t position;
  std::string value;
};

std::optional<Illegal> findIllegal(std::span<const std::byte> piece, Storage storage,
                                   const LegalValues &legal) {
  return withStoredType(storage, [&]<typename T>(T) -> std::optional<Illegal> {
    auto count = int64_t(piece.size() / sizeof(T));
    for (int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, piece.data() + i * int64_t(sizeof value), sizeof value);
      if (!legal.holds(Compared<T>(value)))
        return Illegal{i, fmt::format("{}", value)};
    }
    return std::nullopt;
  });
}

/// Names an element: "train.bin: token 7", or "labels.npy: row 2, element 1".
std::string describePlace(const std::string &dataset, const Field &field, int64_t row,
                          int64_t element) {
  if (field.unit) {
    auto width = int64_t(storageBytes(field.storage));
    int64_t byte = field.positionOf(row, element) * width;
    auto part = field.values.partAt(byte);
    const std::byte *file = part->file ? part->file->bytes().data() : part->bytes.data();
    return fmt::format("{}: {} {}", part->path.empty() ? dataset : part->path, field.unit,
                       (part->bytes.data() - file + byte - part->begin) / width);
  }
  std::string place = fmt::format("{}: row {}", field.path.empty() ? dataset : field.path, row);
  return field.rowElements() > 1 ? place + fmt::format(", element {}", element) : place;
}

bool isLabelOfMetric(const abi::Program &program, int input) {
  return std::any_of(program.metrics().begin(), program.metrics().end(),
                     [&](const abi::Metric &metric) { return int(metric.label()) == input; });
}

/// Checks all rows.
Status checkField(const Dataset &dataset, const Field &field, const LegalValues &legal) {
  int64_t elements = field.rowElements(),
          atOnce = std::max<int64_t>(1, (1 << 20) / std::max<int64_t>(1, elements));
  for (int64_t row = 0; row < dataset.rows; row += atOnce) {
    int64_t count = std::min(atOnce, dataset.rows - row) * elements;
    Status status = legal.check(dataset.name, field, row, 0, count);
    if (status.ok())
      status = field.finishRead(row, 0, count);
    if (!status.ok())
      return status;
    abi::beat();
  }
  return {};
}

} // namespace

LegalValues::LegalValues(const abi::Input &input, bool allowsNegative) : input(input.name()) {
  Extremes extremes = extremesOf(input.block().type());
  min = extremes.min;
  max = extremes.max;
  if (!input.has_range())
    return;
  if (input.range().greatest() >= 0)
    max = std::min(max, uint64_t(input.range().greatest()));
  if (!allowsNegative)
    min = std::max(min, input.range().least());
  if (input.range().has_ignored())
    ignored = input.range().ignored();
  // A class is at least 0, while an index of a table may count from its end.
  isClass = input.range().least() == 0 && !ignored;
}

bool LegalValues::holds(uint64_t value) const {
  bool fits = value <= uint64_t(std::numeric_limits<int64_t>::max());
  return fits ? holds(int64_t(value)) : value <= max;
}

bool LegalValues::holds(double value) const {
  // Numbers outside these bounds do not fit an integer.
  if (value != std::trunc(value) || value < -0x1p63 || value >= 0x1p64)
    return false;
  return value < 0 ? holds(int64_t(value)) : holds(uint64_t(value));
}

bool LegalValues::holdsAll(Storage storage) const {
  return withStoredType(storage, [&]<typename T>(T) {
    return std::is_integral_v<T> && min <= int64_t(std::numeric_limits<T>::min()) &&
           uint64_t(std::numeric_limits<T>::max()) <= max;
  });
}

std::string LegalValues::describe() const {
  std::string text = fmt::format("from {} to {}", min, max);
  return ignored ? text + fmt::format(" or {}", *ignored) : text;
}

Status LegalValues::check(const std::string &dataset, const Field &field, int64_t row,
                          int64_t begin, int64_t count) const {
  auto width = int64_t(storageBytes(field.storage));
  int64_t checked = 0;
  std::optional<Illegal> found;
  field.values.forEachPiece(field.positionOf(row, begin) * width, count * width,
                            [&](std::span<const std::byte> piece) {
                              if (!found) {
                                found = findIllegal(piece, field.storage, *this);
                                checked += found ? found->position : int64_t(piece.size()) / width;
                              }
                            });
  if (!found)
    return {};
  int64_t elements = field.rowElements(), place = begin + checked;
  return Status::badInput(fmt::format(
      "{}: expected integers {} for the input '{}', got {}{}",
      describePlace(dataset, field, row + place / elements, place % elements), describe(), input,
      found->value,
      isClass && found->value.starts_with('-')
          ? fmt::format("; if such a label does not count, add 'ignore_index={}' to '--loss'",
                        found->value)
          : ""));
}

Expected<std::vector<BoundField>> bindCheckedFields(const Dataset &dataset,
                                                    const abi::Program &program,
                                                    DataPurpose purpose, int64_t maxBytes) {
  Expected<std::vector<int>> fieldOf = bindFields(dataset, program);
  if (!fieldOf)
    return fieldOf.status();
  std::vector<BoundField> bound;
  for (int i = 0; i < program.inputs_size(); ++i) {
    const abi::Input &input = program.inputs(i);
    const Field &field = dataset.fields[(*fieldOf)[i]];
    abi::ElementType type = input.block().type();
    bound.push_back({(*fieldOf)[i]});
    if (!abi::isInteger(type) || type == abi::BOOL) // every nonzero value is true
      continue;
    LegalValues legal(input, purpose == DataPurpose::Evaluation && isLabelOfMetric(program, i));
    if (legal.holdsAll(field.storage))
      continue;
    if (!field.isMapped() || field.values.bytes() <= maxBytes)
      if (Status status = checkField(dataset, field, legal); !status.ok())
        return status;
    if (field.isMapped())
      bound.back().legal = legal;
  }
  return bound;
}

} // namespace pcc::runtime
