// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of a part in the whole tensor that files store. For example, files store one
// weight "qkv" for query, key and value. The parameters "qkv[q]", "qkv[k]" and "qkv[v]" are its
// parts: columns of a weight [2, 6], or rows of a weight [6, 2].
//
//   whole [2, 6], row-major    part    run  period  offset
//   q q k k v v                q         2       6       0
//   q q k k v v                k         2       6       2
//                              v         2       6       4
//
//   whole [6, 2]               k         4      12       4     rows 2 and 3

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// Every `period` elements of a tensor, row-major, contain one run of the part: `run` elements from
/// `offset` on.
struct Runs {
  int64_t run = 1, period = 1, offset = 0;

  /// Returns the index in the whole tensor of element `index` of the part.
  int64_t inWhole(int64_t index) const { return index / run * period + offset + index % run; }
};

/// Returns what is wrong with a part of `elements` elements, or an empty string: it must lie in its
/// whole tensor.
std::string findFault(const ParameterPart &part, int64_t elements);

/// Returns the runs of a parameter that is a part; the default covers a whole tensor.
Runs runsOf(const Parameter &parameter);

/// Returns the name under which files store `parameter`: its own name, or the whole tensor's name.
const std::string &nameInFiles(const Parameter &parameter);

} // namespace pcc::abi
