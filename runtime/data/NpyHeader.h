// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an .npy file: a dictionary in Python's notation.

#ifndef PCC_RUNTIME_DATA_NPYHEADER_H
#define PCC_RUNTIME_DATA_NPYHEADER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::runtime {

struct NpyHeader {
  std::string type; ///< "<f4", …
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", whose entries may come in
/// any order. Nothing for any other text, and where an entry is missing or given twice.
std::optional<NpyHeader> parseNpyHeader(std::string_view text);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_NPYHEADER_H
