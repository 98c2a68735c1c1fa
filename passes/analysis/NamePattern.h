// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the names by which users refer to ops and parameters. A pattern is a literal name, or a
// regular expression (POSIX extended, with \d, \w and \s). An expression matches whole names, a
// leading part up to a `/` or `.`, or any part.
//
//   Whole    "/h\\.\\d+/attn"     /h.0/attn          not /h.0/attn/q
//   Leading  "/h\\.0"             /h.0, /h.0/attn    not /h.01
//   Part     "/h\\.(\\d+)/"       /h.0/attn/q
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"
#include <string>

namespace pcc::analysis {

class NamePattern {
public:
  enum class Kind { Literal, Whole, Leading, Part };

  NamePattern() = default;
  NamePattern(Kind kind, llvm::StringRef text);

  llvm::StringRef getText() const { return text; }
  /// Returns why the text is no regular expression; empty if it is one.
  const std::string &getError() const { return error; }
  bool matches(llvm::StringRef name) const;
  /// For a Part: returns the part of `name` that matches, or its first group in parentheses; empty
  /// without a match.
  llvm::StringRef find(llvm::StringRef name) const;

private:
  Kind kind = Kind::Literal;
  std::string text, error;
  llvm::Regex expression;
};

} // namespace pcc::analysis
