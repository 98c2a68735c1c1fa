// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file formats of datasets. OpenDataset.cpp chooses among them by name.

#pragma once

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

// The IDX format of MNIST: two zero bytes, a type (8: unsigned bytes), the number of dimensions,
// each extent as a big-endian 32-bit number, then the elements. Files may be gzip-compressed.

struct IdxTensor {
  std::vector<int64_t> shape;
  std::vector<std::byte> values;
};

/// Reads a file of unsigned bytes. Errors name the file: not there, truncated, too long, another
/// type.
Expected<IdxTensor> readIdx(const std::string &path);

// CIFAR's binary files. A record has one label (CIFAR-10) or two (CIFAR-100: coarse, then fine),
// each a byte, and 3072 bytes of an image, [3, 32, 32]
// (https://www.cs.toronto.edu/~kriz/cifar.html).

/// Whether a folder has files with CIFAR's names: for training `data_batch_*.bin` (CIFAR-10) or
/// `train.bin` (CIFAR-100), for evaluation `test_batch.bin` or `test.bin`.
bool holdsCifar(const std::string &folder, DataPurpose purpose);

/// Reads these files, one after the other: fields `image` and `label`, for CIFAR-100 also
/// `coarse_label`. Errors name the file: no whole number of records, no such class.
Expected<Dataset> readCifar(const std::string &folder, DataPurpose purpose);

// NumPy's .npy format: the letters "\x93NUMPY", two bytes of version, the length of a header, the
// header as a dictionary in Python's notation, then the elements
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

struct NpyTensor {
  Storage storage = Storage::F32;
  std::vector<int64_t> shape;
  Values values;
};

/// Maps an array, or reads it if it is gzip-compressed: floats of 4 and 8 bytes, integers of 1 to 8
/// bytes, little endian and in C order. Errors name the file: not found, wrong format, version,
/// type or order, truncated, too long.
Expected<NpyTensor> readNpy(const std::string &path);

/// Reads an array from the content of such a file; the path of the part names it in errors.
Expected<NpyTensor> parseNpy(Values::Part part);

/// The content of an .npy file in an archive, and its name there without ".npy".
struct NamedPart {
  std::string name;
  Values::Part part;
};

/// Returns the arrays of an .npz file, a ZIP archive of .npy files: those that are stored as they
/// are in place, the others in memory. Errors name the file: not found, not an archive, damaged, no
/// array, another compression, more than half of the machine's memory.
Expected<std::vector<NamedPart>> readNpzParts(const std::string &path);

/// Reads arrays whose dimension 0 counts the rows. `paths` is a folder, in which each NAME.npy is
/// the field NAME, or a comma-separated list of "NAME=PATH" and of .npz files, whose arrays have
/// their names. Without NAME, the file name is the field name. Errors: as readNpy and readNpzParts;
/// no rows; different numbers of rows; a duplicate field.
Expected<Dataset> readNpyFiles(const std::string &paths);

// WebDataset's tar archives of samples. Files of one sample lie one after the other, and differ in
// their names behind the first dot only (https://github.com/webdataset/webdataset).

/// How images of any size get the shape of an input (openDataset).
struct ImageResize {
  int64_t shortSide = 0; ///< 0: images keep their sizes
  const abi::Program *program = nullptr;
};

/// A file in a tar archive: bytes of the archive from `begin` on.
struct TarMember {
  std::string name;
  uint64_t begin, bytes;
};

/// Lists the files in a tar archive with these bytes. `path` names it in errors: damaged.
Expected<std::vector<TarMember>> listTar(const std::string &path, std::span<const std::byte> bytes);

/// Reads samples of archives, each a row. `paths` is a comma-separated list of files and folders
/// with `*.tar` (listShards). File `NAME.npy` of a sample is field NAME, `cls` is `label`, a class
/// as a decimal number, and `jpg` or `jpeg` is `image`; `NAME.cls` and `NAME.jpg` are NAME. Other
/// files are skipped. Images are decoded when their rows are read. Errors name the file: no sample;
/// damaged; rows of different types or shapes; a sample without a field of the others; an image
/// that needs more than half of the memory. BadUsage: an input larger than `resize` makes images.
Expected<Dataset> readWebDataset(const std::string &paths, DataPurpose purpose,
                                 const ImageResize &resize);

// Text as bytes, for predicting the next byte.

/// Joins the bytes of all files that `paths` names, a comma-separated list of files and folders.
/// Files of a folder are sorted by name. Returns windows of `length` bytes (makeWindows) as the
/// fields `text` and `next`. Errors name the file.
Expected<Dataset> readText(const std::string &paths, int64_t length);

// Tokens: integers without a header, as nanoGPT writes them, or with an index of Megatron-LM beside
// them: `data.bin` and `data.idx`.

/// The type of the tokens in a file, and the runs of consecutive documents, in order.
struct TokenIndex {
  struct Run {
    uint64_t begin, bytes;
  };
  Storage storage;
  std::vector<Run> runs;
};

/// Reads Megatron's index of a file of `tokenBytes` bytes. Errors name the index and the sequence.
Expected<TokenIndex> readMegatronIndex(const std::string &path, uint64_t tokenBytes);

/// Joins the tokens of files. `spec` is a comma-separated list of files and folders, behind
/// "TYPE:" if the files do not have an index and are not of type u16. From a folder it takes
/// `*.bin`, sorted by name: if any name contains `train`, those are for training, and those that
/// contain `val` or `test` for evaluation. Returns windows of `length` tokens (makeWindows) as the
/// fields `tokens` and `next`. Errors name the file.
Expected<Dataset> readTokens(const std::string &spec, int64_t length, DataPurpose purpose);

} // namespace pcc::runtime
