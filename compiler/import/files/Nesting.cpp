// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts brackets in one pass over the text, without building tokens. Text that is not well formed
// may be counted wrongly; the parser then reports it.
#include "compiler/import/files/Nesting.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace pcc::import {

/// Returns the offset behind the string that begins at `offset` with a quotation mark.
static size_t skipString(StringRef text, size_t offset) {
  for (++offset; offset < text.size() && text[offset] != '"'; ++offset)
    if (text[offset] == '\\')
      ++offset;
  return offset + 1;
}

/// Returns whether the angle bracket at `offset` belongs to `->`, `<=` or `>=`.
static bool isOperator(StringRef text, size_t offset) {
  return text.substr(offset + 1).starts_with("=") || (offset > 0 && text[offset - 1] == '-');
}

static BracketPlace placeAt(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  return {offset, before.count('\n') + 1, offset - (before.rfind('\n') + 1) + 1};
}

std::optional<BracketPlace> findDeepNesting(StringRef text) {
  int depth = 0;
  for (size_t offset = 0; offset < text.size();) {
    char c = text[offset];
    if (c == '"') {
      offset = skipString(text, offset);
      continue;
    }
    if (text.substr(offset).starts_with("//")) {
      offset = std::min(text.find('\n', offset), text.size());
      continue;
    }
    bool isAngle = (c == '<' || c == '>') && !isOperator(text, offset);
    if (StringRef("([{").contains(c) || (isAngle && c == '<')) {
      if (++depth > maxNesting)
        return placeAt(text, offset);
    } else if (StringRef(")]}").contains(c) || isAngle) {
      depth = std::max(depth - 1, 0);
    }
    ++offset;
  }
  return std::nullopt;
}

/// Reads `\uXXXX` at the beginning of a text.
static std::optional<uint32_t> readEscape(StringRef text) {
  uint32_t unit = 0;
  if (!text.consume_front("\\u") || text.size() < 4 || text.take_front(4).getAsInteger(16, unit))
    return std::nullopt;
  return unit;
}

/// Replaces escaped pairs of surrogates by their letter in UTF-8. LLVM 22 reads those of some
/// letters from U+20000 on as other letters: it combines bits where it must add.
static std::string joinSurrogates(StringRef text) {
  std::string result;
  result.reserve(text.size());
  for (size_t offset = 0; offset < text.size();) {
    std::optional<uint32_t> high = readEscape(text.substr(offset)),
                            low = high ? readEscape(text.substr(offset + 6)) : std::nullopt;
    if (low && *high >= 0xd800 && *high < 0xdc00 && *low >= 0xdc00 && *low < 0xe000) {
      char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = bytes;
      ConvertCodePointToUTF8(0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00), end);
      result.append(bytes, end);
      offset += 12;
      continue;
    }
    // An escaped backslash is no escape of what follows it.
    size_t length = text[offset] == '\\' ? 2 : 1;
    result += text.substr(offset, length);
    offset += length;
  }
  return result;
}

Expected<json::Value> parseJson(StringRef text) {
  if (std::optional<BracketPlace> deep = findDeepNesting(text))
    return make_error<json::ParseError>(nestingError.data(), deep->line, deep->column,
                                        deep->offset);
  bool mayHaveSurrogates = text.contains("\\ud") || text.contains("\\uD");
  return mayHaveSurrogates ? json::parse(joinSurrogates(text)) : json::parse(text);
}

} // namespace pcc::import
