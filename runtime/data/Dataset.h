// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data in memory: rows of named fields. A row of a field is a small dense tensor.

#ifndef PCC_RUNTIME_DATA_DATASET_H
#define PCC_RUNTIME_DATA_DATASET_H

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// How the values of a field are kept. Pixels are bytes that stand for value / 255.
enum class Storage { Pixels, Bytes, F32, F64, I32, I64 };

uint64_t storageBytes(Storage storage);

struct Field {
  std::string name;
  Storage storage = Storage::F32;
  std::vector<int64_t> rowShape;
  /// All rows, one behind the other.
  std::vector<std::byte> values;
  /// The file that it was read from, where that is one; else the dataset's name is all there is.
  std::string path = {};
  /// Whether the file states the shape of a row, which an input must have then. The shapes of other
  /// formats are theirs: images of one channel may feed vectors, but none is ever transposed.
  bool isShaped = false;

  int64_t rowElements() const;
  bool isInteger() const;

  /// Converts `count` elements from element `begin` of row `row` on to `type` and writes them to
  /// `out`.
  void read(int64_t row, int64_t begin, int64_t count, abi::ElementType type, std::byte *out) const;

  /// One element as an integer.
  int64_t integerAt(int64_t row, int64_t element) const;
};

struct Dataset {
  std::string name;
  int64_t rows = 0;
  std::vector<Field> fields;

  /// Bytes of all values.
  int64_t bytes() const;
};

enum class DataPurpose { Training, Evaluation };

/// Opens what --data or --eval-data names, for the inputs of `program`:
///   FOLDER          IDX files under MNIST's names (for training `train-…`, for evaluation `test-…`
///                   or `t10k-…`), or CIFAR's binary files (Cifar.h)
///   IMAGES,LABELS   two IDX files
///   text:PATHS      bytes and those that follow them (Text.h), in rows as long as the program's
///                   first input of integers
///   npy:PATHS       arrays (Npy.h)
/// Any file may be gzip. Errors name the file.
Expected<Dataset> openDataset(const std::string &name, DataPurpose purpose,
                              const abi::Program &program);

/// `rows` rows of random data for the inputs of a program: uniform in [0, 1), and integers below
/// the last extent of its outputs. All of it must fit into memory.
Dataset makeSyntheticDataset(const abi::Program &program, int64_t rows, uint64_t seed);

/// The field for each input of a program: the one of its name, else the first of its kind (integer
/// or not) that no other input has. Errors: no field is left; a row of the field has another shape.
Expected<std::vector<int>> bindFields(const Dataset &dataset, const abi::Program &program);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_DATASET_H
