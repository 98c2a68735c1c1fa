// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are consecutive windows of one sequence, for predicting the next element.

#pragma once

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// A sequence of tokens or bytes.
struct Sequence {
  Values values;
  Storage storage;
  /// Names an element: "token". The field of the windows has this name in the plural or another.
  const char *unit;
  const char *field;
};

/// Row r of the sequence's field has the elements from r · length on. Row r of the field `next` has
/// the elements from r · length + 1 on. Both share the values. Elements after the last window and
/// its successor are dropped. Error: fewer elements than one window and the next element.
Expected<Dataset> makeWindows(const std::string &name, const Sequence &sequence, int64_t length);

} // namespace pcc::runtime
