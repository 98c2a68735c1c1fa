// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace pcc::abi {

/// Returns `text` as a JSON string in quotes. UTF-8 bytes are copied unchanged.
inline std::string quoteJson(std::string_view text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", c);
    else
      result += c;
  return result + '"';
}

} // namespace pcc::abi
