// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of a part in the whole tensor that files store.

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// The `run` elements from `offset` on in every `period` elements of a tensor, row-major.
struct Runs {
  int64_t run = 1, period = 1, offset = 0;

  /// Returns the index in the whole tensor of element `index` of the part.
  int64_t inWhole(int64_t index) const { return index / run * period + offset + index % run; }
};

/// Returns the runs of a parameter that is a part; the default covers a whole tensor.
Runs runsOf(const Parameter &parameter);

/// Returns the name under which files store `parameter`: its own name, or the whole tensor's name.
const std::string &nameInFiles(const Parameter &parameter);

} // namespace pcc::abi
