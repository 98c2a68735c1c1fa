// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/NamePattern.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace pcc::analysis {

/// Returns the characters for which a letter after a backslash stands, as written inside brackets.
static StringRef getClass(char letter) {
  switch (letter) {
  case 'd':
    return "0-9";
  case 'w':
    return "A-Za-z0-9_";
  case 's':
    return "[:space:]";
  default:
    return "";
  }
}

/// Rewrites \d, \w and \s in `pattern`, which POSIX does not know, as POSIX writes them.
static std::string expandClasses(StringRef pattern) {
  std::string expanded;
  bool isBracket = false;
  for (size_t index = 0; index < pattern.size(); ++index) {
    char letter = pattern[index];
    StringRef inside =
        letter == '\\' && index + 1 < pattern.size() ? getClass(pattern[index + 1]) : "";
    if (!inside.empty()) {
      expanded += isBracket ? inside.str() : "[" + inside.str() + "]";
      ++index;
      continue;
    }
    expanded += letter;
    if (letter == '\\' && index + 1 < pattern.size())
      expanded += pattern[++index];
    else if (letter == '[')
      isBracket = true;
    else if (letter == ']')
      isBracket = false;
  }
  return expanded;
}

NamePattern::NamePattern(Kind kind, StringRef given) : kind(kind), text(given) {
  if (kind == Kind::Literal)
    return;
  std::string expanded = expandClasses(text);
  if (!llvm::Regex(expanded).isValid(error))
    return;
  if (kind == Kind::Part)
    expression = llvm::Regex(expanded);
  else
    expression = llvm::Regex("^(" + expanded + (kind == Kind::Leading ? ")([/.].*)?$" : ")$"));
}

bool NamePattern::matches(StringRef name) const {
  return kind == Kind::Literal ? name == text : expression.match(name);
}

StringRef NamePattern::find(StringRef name) const {
  llvm::SmallVector<StringRef, 4> found;
  if (!expression.match(name, &found))
    return "";
  return found.size() > 1 ? found[1] : found[0];
}

} // namespace pcc::analysis
