// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the rows of the data that a rank reads. Given are m microbatches, k copies, and blocks of
// G rows per microbatch over all ranks. Batch number b has the rows from b·m·k·G on, in the epoch's
// order. Microbatch i, copy j is its block i·k + j. The rank's offset in dimension 0 selects its
// rows of that block (docs/spec/parallel.md, "The batch").

#pragma once

#include "runtime/data/Dataset.h"
#include "runtime/data/RowOrder.h"

#include <functional>

namespace pcc::runtime {

/// Position of a rank's next rows.
struct BatchPlace {
  /// Row order of the epoch.
  RowOrder order = {};
  /// Position in the order of the microbatch's first row (over all ranks).
  int64_t firstRow = 0;
};

/// Runs body(begin, end) over 0 … count-1, possibly on several threads.
using ParallelFor =
    std::function<void(int64_t count, const std::function<void(int64_t, int64_t)> &body)>;

class BatchReader {
public:
  /// `fieldOf` is the result of bindFields for the inputs of all programs (abi::inputsOf). All
  /// arguments must outlive the reader.
  BatchReader(const Dataset &dataset, std::vector<int> fieldOf, const abi::Executable &executable,
              int64_t rank);

  /// Writes this rank's rows of every input of its program; addressOf returns an input's buffer.
  /// Rows after the end of the data are zero.
  void read(const BatchPlace &place,
            const std::function<std::byte *(const abi::Input &)> &addressOf,
            const ParallelFor &parallelFor) const;

private:
  /// A run of elements of a row that the rank holds.
  struct Span {
    int64_t begin;
    int64_t count;
  };
  struct Source {
    const abi::Input *input;
    const Field *field;
    int64_t firstRow;
    std::vector<Span> spans;
    int64_t localRowBytes;
  };
  void readRow(const Source &source, const BatchPlace &place, int64_t row, std::byte *out) const;

  const Dataset &dataset;
  std::vector<Source> sources;
};

} // namespace pcc::runtime
