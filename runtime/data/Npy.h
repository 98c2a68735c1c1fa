// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy format: the letters "\x93NUMPY", two bytes of version, the length of a header, the
// header as a dictionary in Python's notation, then the elements
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

#ifndef PCC_RUNTIME_DATA_NPY_H
#define PCC_RUNTIME_DATA_NPY_H

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

struct NpyTensor {
  Storage storage = Storage::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> values;
};

/// Reads an array of f32, f64, i32, i64 or u8, little endian and in C order. Errors name the file:
/// not found, wrong format, version, type or order, truncated, too long.
Expected<NpyTensor> readNpy(const std::string &path);

/// Reads arrays whose dimension 0 counts the rows. `paths` is a folder, in which each NAME.npy is
/// the field NAME, or a comma-separated list of "NAME=PATH". Without NAME, the file name is the
/// field name. Errors: as readNpy; no rows; different numbers of rows; a duplicate field.
Expected<Dataset> readNpyFiles(const std::string &paths);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_NPY_H
