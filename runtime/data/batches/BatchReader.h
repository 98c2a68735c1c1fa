// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the rows of the data that a rank reads. Given are m microbatches, k copies, and blocks of
// G rows per microbatch over all ranks. Batch number b has the rows from b·m·k·G on, in the epoch's
// order. Microbatch i, copy j is its block i·k + j. The rank's offset in dimension 0 selects its
// rows of that block (docs/spec/parallel.md, "The batch").

#pragma once

#include "runtime/data/batches/Augmentation.h"
#include "runtime/data/batches/CheckValues.h"

#include <array>
#include <cstdint>
#include <functional>

namespace pcc::runtime {

//===-- RowOrder.cpp --------------------------------------------------------------------------===//

// The order of the rows in an epoch. It is a function of the position, without a table: an epoch of
// any length needs no memory and no time before its first row, and a training continues at any
// position.

class RowOrder {
public:
  /// The natural order.
  RowOrder() = default;
  /// A random order of `rows` rows, the same for a seed and an epoch on every machine.
  RowOrder(int64_t rows, uint64_t seed, int64_t epoch);

  /// Returns the row at a position, from 0 to rows - 1.
  int64_t rowAt(int64_t position) const;

private:
  static constexpr int rounds = 8;
  uint64_t permute(uint64_t number) const;

  uint64_t rows = 0; ///< 0: the natural order
  /// Bits of the numbers that are permuted: the lower half and all.
  int lowBits = 0, bits = 0;
  std::array<uint64_t, rounds> keys = {};
};

//===-- BatchReader.cpp -----------------------------------------------------------------------===//

/// Position of a rank's next rows.
struct BatchPlace {
  /// Row order of the epoch.
  RowOrder order = {};
  /// Position in the order of the microbatch's first row (over all ranks).
  int64_t firstRow = 0;
  /// Number of the epoch, from 0.
  int64_t epoch = 0;
};

/// Runs body(begin, end) over 0 … count-1, possibly on several threads.
using ParallelFor =
    std::function<void(int64_t count, const std::function<void(int64_t, int64_t)> &body)>;

/// An input of a rank's program, and the bytes of its rows.
struct InputBytes {
  const abi::Input *input;
  int64_t bytes;
};

/// Any number of threads may use a reader at once.
class BatchReader {
public:
  /// `bound` is the result of bindCheckedFields for the inputs of all programs (abi::inputsOf).
  /// `executable` must outlive the reader. Images are changed by `augmentation`.
  BatchReader(const Dataset &dataset, const std::vector<BoundField> &bound,
              const abi::Executable &executable, int64_t rank, Augmentation augmentation = {});

  /// Writes this rank's rows of every input of its program; addressOf returns an input's buffer.
  /// Rows after the end of the data are zero. Errors (BadInput) name the file: a value that is not
  /// legal (BoundField), a file that cannot be read.
  Status read(const BatchPlace &place,
              const std::function<std::byte *(const abi::Input &)> &addressOf,
              const ParallelFor &parallelFor) const;

  /// The inputs of the rank's program.
  std::vector<InputBytes> inputs() const;

private:
  /// A run of elements of a row that the rank holds.
  struct Span {
    int64_t begin;
    int64_t count;
  };
  struct Source {
    const abi::Input *input;
    Field field;
    std::optional<LegalValues> legal;
    bool isAugmented;
    int64_t firstRow;
    std::vector<Span> spans;
    int64_t localRowBytes;
  };
  Status readRow(const Source &source, const BatchPlace &place, int64_t row, std::byte *out) const;

  std::string name;
  int64_t rows;
  Augmentation augmentation;
  std::vector<Source> sources;
};

} // namespace pcc::runtime
