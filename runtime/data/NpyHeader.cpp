// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/NpyHeader.h"

#include <charconv>

namespace pcc::runtime {
namespace {

class Parser {
public:
  explicit Parser(std::string_view text) : rest(text) {}

  std::optional<NpyHeader> parse();

private:
  /// Skips blanks, then takes `word` if it comes next.
  bool take(std::string_view word);
  std::optional<std::string> takeString();
  std::optional<int64_t> takeInteger();
  std::optional<std::vector<int64_t>> takeTuple();
  bool takeEntry();

  std::string_view rest;
  std::optional<std::string> type;
  std::optional<bool> isFortranOrder;
  std::optional<std::vector<int64_t>> shape;
};

bool Parser::take(std::string_view word) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n'))
    rest.remove_prefix(1);
  if (!rest.starts_with(word))
    return false;
  rest.remove_prefix(word.size());
  return true;
}

std::optional<std::string> Parser::takeString() {
  const char *quote = take("'") ? "'" : take("\"") ? "\"" : nullptr;
  size_t end = quote ? rest.find(quote) : std::string_view::npos;
  if (end == std::string_view::npos)
    return std::nullopt;
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end + 1);
  return text;
}

std::optional<int64_t> Parser::takeInteger() {
  take("");
  int64_t number;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc())
    return std::nullopt;
  rest.remove_prefix(end - rest.data());
  return number;
}

std::optional<std::vector<int64_t>> Parser::takeTuple() {
  std::vector<int64_t> numbers;
  if (!take("("))
    return std::nullopt;
  for (bool more = true; !take(")"); more = take(",")) {
    std::optional<int64_t> number = more ? takeInteger() : std::nullopt;
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool Parser::takeEntry() {
  std::optional<std::string> key = takeString();
  if (!key || !take(":"))
    return false;
  if (*key == "descr" && !type)
    return (type = takeString()).has_value();
  if (*key == "shape" && !shape)
    return (shape = takeTuple()).has_value();
  if (*key != "fortran_order" || isFortranOrder)
    return false;
  isFortranOrder = take("True");
  return *isFortranOrder || take("False");
}

std::optional<NpyHeader> Parser::parse() {
  if (!take("{"))
    return std::nullopt;
  for (bool more = true; !take("}"); more = take(","))
    if (!more || !takeEntry())
      return std::nullopt;
  take("");
  if (!rest.empty() || !type || !isFortranOrder || !shape)
    return std::nullopt;
  return NpyHeader{std::move(*type), *isFortranOrder, std::move(*shape)};
}

} // namespace

std::optional<NpyHeader> parseNpyHeader(std::string_view text) { return Parser(text).parse(); }

} // namespace pcc::runtime
