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

/// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"; the entries may have any
/// order. Returns nothing for any other text, and if an entry is missing or duplicate.
std::optional<NpyHeader> parseNpyHeader(std::string_view text);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_NPYHEADER_H
