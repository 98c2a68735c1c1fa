// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of the data a rank gets. With m microbatches, k copies and blocks of G rows per
// microbatch over all ranks, batch number b holds the rows b·m·k·G … of the epoch's order;
// microbatch i, copy j is block i·k + j of it, and the rank's offset in dimension 0 selects its own
// rows of that block (docs/spec/model.md section 3).

#ifndef PCC_RUNTIME_DATA_BATCHREADER_H
#define PCC_RUNTIME_DATA_BATCHREADER_H

#include "runtime/data/Dataset.h"

#include <functional>
#include <memory>
#include <mutex>

namespace pcc::runtime {

/// The order of rows in each epoch, shared by the ranks of a process.
class RowOrder {
public:
  RowOrder(int64_t rows, bool shuffle, uint64_t seed) : rows(rows), shuffle(shuffle), seed(seed) {}

  /// Row numbers by place; null: the rows' own order. The same for a seed and an epoch on every
  /// machine.
  std::shared_ptr<const std::vector<int64_t>> ofEpoch(int64_t epoch);

private:
  const int64_t rows;
  const bool shuffle;
  const uint64_t seed;
  std::mutex mutex;
  int64_t cachedEpoch = -1;
  std::shared_ptr<const std::vector<int64_t>> cached;
};

/// Where a rank's next rows are.
struct BatchPlace {
  /// Null: the rows' own order.
  const std::vector<int64_t> *order = nullptr;
  /// Place in the order of the first row of the microbatch (over all ranks).
  int64_t firstRow = 0;
};

/// Runs body(begin, end) over 0 … count-1, possibly on several threads.
using ParallelFor =
    std::function<void(int64_t count, const std::function<void(int64_t, int64_t)> &body)>;

class BatchReader {
public:
  /// `fieldOf` is bindFields' result for the inputs of all programs (abi::inputsOf). All arguments
  /// must outlive the reader.
  BatchReader(const Dataset &dataset, std::vector<int> fieldOf, const abi::Executable &executable,
              int64_t rank);

  /// Writes this rank's rows of every input of its program; addressOf gives an input's buffer. Rows
  /// behind the end of the data are zero.
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

#endif // PCC_RUNTIME_DATA_BATCHREADER_H
