// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data: rows of named fields. A row of a field is a small dense tensor. Copies of datasets and
// fields share the values.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/data/Values.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// Storage format of a field's values. Pixels are bytes that mean value / 255.
enum class Storage { Pixels, Bytes, F32, F64, I8, I16, I32, I64, U16, U32, U64 };

uint64_t storageBytes(Storage storage);

struct Field {
  std::string name;
  Storage storage = Storage::F32;
  std::vector<int64_t> rowShape;
  /// All rows, concatenated.
  Values values;
  /// The source file, if the field has one; diagnostics otherwise use the dataset's name.
  std::string path = {};
  /// Whether the file states the shape of a row; an input must then have this shape. Other formats
  /// have fixed shapes: images of one channel may feed vectors, but nothing is ever transposed.
  bool isShaped = false;
  /// Names an element of a sequence that rows are windows of: "token", "byte"; null: rows have
  /// elements of their own.
  const char *unit = nullptr;
  /// The element of `values` with which row 0 begins.
  int64_t first = 0;

  int64_t rowElements() const;
  /// Whether values are integers. All tokens are, whatever the type of their file.
  bool isInteger() const;
  /// Whether values lie in a file that is read as rows are needed, and may be larger than memory.
  bool isMapped() const { return values.isMapped(); }

  /// Converts `count` elements to `type`, from element `begin` of row `row` on, and writes them to
  /// `out`.
  void read(int64_t row, int64_t begin, int64_t count, abi::ElementType type, std::byte *out) const;
  /// Called after these elements were read. Errors: those of Values::finishRead().
  Status finishRead(int64_t row, int64_t begin, int64_t count) const;

  /// One element as an integer.
  int64_t integerAt(int64_t row, int64_t element) const;

  /// Returns the position of an element in `values`, in elements.
  int64_t positionOf(int64_t row, int64_t element) const {
    return first + row * rowElements() + element;
  }
};

struct Dataset {
  std::string name;
  int64_t rows = 0;
  std::vector<Field> fields;

  /// Bytes of the values of all fields.
  int64_t bytes() const;
  /// Tokens of a row, if rows are windows of a sequence; else 0.
  int64_t tokensOfRow() const;
};

enum class DataPurpose { Training, Evaluation };

/// Opens the data that --data or --eval-data names, for the inputs of `program`:
///   FOLDER          IDX files under MNIST's names (for training `train-…`, for evaluation `test-…`
///                   or `t10k-…`), or CIFAR's binary files
///   IMAGES,LABELS   two IDX files
///   text:PATHS      bytes and their successors, in rows as long as the program's first input of
///                   integers
///   tokens:PATHS    the same with token files; tokens:TYPE:PATHS states their type
///   npy:PATHS       NumPy's arrays
///   webdataset:PATHS  tar archives of samples
/// Formats.h describes the formats. Files other than those of tokens may be gzip-compressed. Errors
/// name the file.
///
/// `shortSide`, unless 0, is the value of --resize-images: JPEG images of any size are scaled so
/// that their shorter side has so many pixels, and cut to the height and width of the input
/// (fitImage). BadUsage if the data are not those of webdataset with such images,
/// or the input is larger.
Expected<Dataset> openDataset(const std::string &name, DataPurpose purpose,
                              const abi::Program &program, int64_t shortSide = 0);

/// Returns `rows` rows of random data for the inputs of a program: uniform in [0, 1), and integers
/// from 0 to below the smallest last extent of its outputs, or below 2 if that is larger. An input
/// of integers with a range gets none above it. Booleans are both values. All of it must fit into
/// memory.
Dataset makeSyntheticDataset(const abi::Program &program, int64_t rows, uint64_t seed);

/// Returns the field for each input of a program: the field of its name, else the first unused one
/// of its kind (integer or not). Errors: no field is left; a row of the field has another shape.
Expected<std::vector<int>> bindFields(const Dataset &dataset, const abi::Program &program);

} // namespace pcc::runtime
