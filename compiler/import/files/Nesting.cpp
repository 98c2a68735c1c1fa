// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts brackets in one pass over the text, without building tokens. Text that is not well formed
// may be counted wrongly; the parser then reports it.
#include "compiler/import/files/Nesting.h"

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

Expected<json::Value> parseJson(StringRef text) {
  if (std::optional<BracketPlace> deep = findDeepNesting(text))
    return make_error<json::ParseError>(nestingError.data(), deep->line, deep->column,
                                        deep->offset);
  return json::parse(text);
}

} // namespace pcc::import
