// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses lists of names in a flag.

#pragma once

#include <string>
#include <vector>

namespace pcc::runtime {

/// Splits `list` at its commas; a list without a comma is one name.
inline std::vector<std::string> splitNames(const std::string &list) {
  std::vector<std::string> names;
  for (size_t begin = 0;;) {
    size_t comma = list.find(',', begin);
    names.push_back(list.substr(begin, comma - begin));
    if (comma == std::string::npos)
      return names;
    begin = comma + 1;
  }
}

} // namespace pcc::runtime
