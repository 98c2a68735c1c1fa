// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that data hold valid values for a program. Values in memory and those of small files are
// checked before any batch is read. A file may be larger than memory, so its rows are checked when
// they are read.

#pragma once

#include "runtime/data/Dataset.h"

#include <optional>

namespace pcc::runtime {

/// The integers that an input may hold; the greatest is not negative.
class LegalValues {
public:
  /// The integers of the input's type within the range that the program states (boundary.proto).
  /// `allowsNegative`: negative ones need not be in this range.
  LegalValues(const abi::Input &input, bool allowsNegative);

  bool holds(int64_t value) const {
    return (min <= value && (value < 0 || uint64_t(value) <= max)) || value == ignored;
  }
  bool holds(uint64_t value) const;
  bool holds(double value) const;
  /// Whether every value of a type in which values are stored is legal.
  bool holdsAll(Storage storage) const;

  /// Checks `count` elements of a row from `begin` on. The error names the file, the place, the
  /// range and the value.
  Status check(const std::string &dataset, const Field &field, int64_t row, int64_t begin,
               int64_t count) const;

private:
  std::string describe() const;

  std::string input;
  int64_t min;
  uint64_t max;
  std::optional<int64_t> ignored = {};
  bool isClass = false;
};

/// The field that an input takes.
struct BoundField {
  int field;
  /// Checks rows when they are read; absent if all values are known to be legal.
  std::optional<LegalValues> legal = {};
};

/// Files of more bytes are checked only when their rows are read.
inline constexpr int64_t maxCheckedBytes = int64_t(64) << 20;

/// Returns the result of bindFields for each input after a check of the values that feed integer
/// inputs, in files of at most `maxBytes` bytes and in memory. In an evaluation the labels of
/// metrics may also be negative: such rows do not count. Errors: as bindFields and
/// LegalValues::check.
Expected<std::vector<BoundField>> bindCheckedFields(const Dataset &dataset,
                                                    const abi::Program &program,
                                                    DataPurpose purpose,
                                                    int64_t maxBytes = maxCheckedBytes);

} // namespace pcc::runtime
