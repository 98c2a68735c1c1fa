// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data: rows of named fields. A row of a field is a small dense tensor. Copies of datasets and
// fields share the values.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/MappedFile.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace pcc::runtime {

//===-- Values.cpp ----------------------------------------------------------------------------===//

// The bytes of a field's values. They lie in parts, one after the other, and a part is in memory or
// in a mapped file. A part may be compressed: it is decoded each time that a thread reads it.
// Whoever holds the values owns the memory and the files together with others.

class PartDecoder;

class Values {
public:
  struct Part {
    /// The values, or what `decoder` makes values of.
    std::span<const std::byte> bytes;
    /// The file of the bytes, or the memory that has them.
    std::shared_ptr<const MappedFile> file = {};
    std::shared_ptr<const std::vector<std::byte>> memory = {};
    /// The file from which the bytes are, for diagnostics; empty: none.
    std::string path = {};
    std::shared_ptr<const PartDecoder> decoder = {};
    int64_t decodedBytes = 0; ///< with a decoder: bytes of the values
    /// The position in all values, and a number that no other decoded part has; set by Values.
    int64_t begin = 0;
    uint64_t id = 0;

    /// The number of bytes of its values.
    int64_t size() const { return decoder ? decodedBytes : int64_t(bytes.size()); }
  };

  Values() : Values(std::vector<Part>()) {}
  /// Values in memory.
  Values(std::vector<std::byte> bytes); // NOLINT: memory is the common owner
  /// Joins parts, of which every one has whole elements.
  explicit Values(std::vector<Part> parts);

  const std::vector<Part> &getParts() const { return *parts; }
  /// The number of bytes.
  int64_t bytes() const { return total; }
  bool isMapped() const;
  /// Whether parts are decoded when they are read.
  bool isCompressed() const { return hasDecoder; }

  /// Calls piece(bytes) for the consecutive pieces of `count` bytes from `begin` on.
  template <typename Piece> void forEachPiece(int64_t begin, int64_t count, Piece &&piece) const {
    if (count <= 0)
      return;
    for (auto part = partAt(begin); count > 0; ++part) {
      int64_t inPart = std::min(count, part->begin + part->size() - begin);
      piece(contentOf(*part).subspan(size_t(begin - part->begin), size_t(inPart)));
      begin += inPart;
      count -= inPart;
    }
  }

  /// Called by the thread that read these bytes. Errors: those of MappedFile::finishRead(); the
  /// first one of decoding since the last call, after which zeros were read.
  Status finishRead(int64_t begin, int64_t count) const;

  /// Returns the part that has byte number `byte`, which exists.
  std::vector<Part>::const_iterator partAt(int64_t byte) const;

private:
  /// Returns the values of a part. Those of a decoded part stay until this thread asks for those of
  /// another one.
  static std::span<const std::byte> contentOf(const Part &part);

  std::shared_ptr<const std::vector<Part>> parts;
  int64_t total = 0;
  bool hasDecoder = false; ///< of any part
};

/// Makes values of the bytes of a part.
class PartDecoder {
public:
  virtual ~PartDecoder() = default;
  /// Writes the values of a part to `out`, which has as many bytes. Any thread may call it. Errors
  /// name the part.
  virtual Status decode(const Values::Part &part, std::span<std::byte> out) const = 0;
};

/// Returns values in memory as a part.
Values::Part partOf(std::vector<std::byte> bytes, const std::string &path = {});

/// Returns the whole content of a file: mapped, or in memory if it is gzip-compressed or a pipe.
/// Errors name the file.
Expected<Values::Part> readPart(const std::string &path);

//===-- Dataset.cpp ---------------------------------------------------------------------------===//

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
