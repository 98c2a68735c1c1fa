// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How users speak of ops and parameters: a name as it is, or a regular expression (POSIX extended,
// with \d, \w and \s) for whole names, for a leading part up to a `/` or `.`, or for any part.
//
//   Whole    "/h\\.\\d+/attn"     /h.0/attn          not /h.0/attn/q
//   Leading  "/h\\.0"             /h.0, /h.0/attn    not /h.01
//   Part     "/h\\.(\\d+)/"       /h.0/attn/q
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"
#include <string>

namespace pcc::facts {

class NamePattern {
public:
  enum class Kind { Literal, Whole, Leading, Part };

  NamePattern() = default;
  NamePattern(Kind kind, llvm::StringRef text);

  llvm::StringRef getText() const { return text; }
  /// Why the text is no regular expression; empty if it is one.
  const std::string &getError() const { return error; }
  bool matches(llvm::StringRef name) const;
  /// Of a Part: what of `name` matches, or the first group in parentheses; empty if nothing does.
  llvm::StringRef find(llvm::StringRef name) const;

private:
  Kind kind = Kind::Literal;
  std::string text, error;
  llvm::Regex expression;
};

} // namespace pcc::facts
