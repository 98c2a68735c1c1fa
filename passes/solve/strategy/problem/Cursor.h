// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reader of numbers and punctuation with the position of the first error. After an error every
// further call fails as well, so callers check once, at the end.
#pragma once

#include "runtime/abi/Status.h"
#include <charconv>
#include <string_view>

namespace pcc::solve {

class Cursor {
public:
  explicit Cursor(std::string_view text) : text(text) {}

  bool ok() const { return error.empty(); }

  /// `line 3, column 7: expected …`.
  abi::Status status() const { return ok() ? abi::Status() : abi::Status::badInput(error); }

  /// Records the first error, with its position.
  bool fail(const std::string &message) {
    if (!ok())
      return false;
    size_t line = 1, column = 1;
    for (char c : text.substr(0, at)) {
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n';
    }
    error = "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + message;
    return false;
  }

  void skipSpace() {
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
      ++at;
  }

  bool atEnd() {
    skipSpace();
    return at >= text.size();
  }

  /// Returns the next character that is not white space, or 0.
  char peek() { return atEnd() ? '\0' : text[at]; }

  bool accept(char c) {
    if (!ok() || peek() != c)
      return false;
    ++at;
    return true;
  }

  bool expect(char c) {
    return accept(c) || fail(std::string("expected '") + c + "', got " + describeHere());
  }

  /// Reads a 64-bit integer.
  bool integer(int64_t &value) {
    skipSpace();
    if (!ok())
      return false;
    auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (code == std::errc::result_out_of_range)
      return fail("expected an integer of 64 bits, got " + describeHere());
    if (code != std::errc())
      return fail("expected an integer, got " + describeHere());
    at = end - text.data();
    if (at < text.size() && (text[at] == '.' || text[at] == 'e' || text[at] == 'E'))
      return fail("expected an integer, got a fraction or an exponent");
    return true;
  }

  /// Returns the characters up to the next white space.
  std::string_view word() {
    skipSpace();
    size_t from = at;
    while (at < text.size() && std::string_view(" \n\t\r").find(text[at]) == std::string_view::npos)
      ++at;
    return text.substr(from, at - from);
  }

  /// Returns `'x'`, or `the end`.
  std::string describeHere() { return atEnd() ? "the end" : std::string("'") + text[at] + "'"; }

  std::string_view text;
  size_t at = 0;

private:
  std::string error;
};

} // namespace pcc::solve
