// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a piece lie in its whole.

#ifndef PCC_RUNTIME_ABI_PIECES_H
#define PCC_RUNTIME_ABI_PIECES_H

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// The `run` elements from `offset` on in every `period` of a tensor, row-major.
struct Runs {
  int64_t run = 1, period = 1, offset = 0;

  /// The index in the whole of element `index` of the piece.
  int64_t inWhole(int64_t index) const { return index / run * period + offset + index % run; }
};

/// Those of a parameter that is a piece, or of one that is all of its tensor.
Runs runsOf(const Parameter &parameter);

/// The name of `parameter`, or of what it is a piece of.
const std::string &nameInFiles(const Parameter &parameter);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_PIECES_H
