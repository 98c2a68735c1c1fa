// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc-run does not link LLVM, so it has a parser of its own. The whole value must be a number.
#include "tools/pcc-run/Flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace pcc::tools {
namespace {

using runtime::Expected;
using runtime::Status;

template <typename Number> bool parseNumber(const std::string &text, Number &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Status setInteger(const char *name, const IntegerTarget &target, const std::string &text) {
  int64_t number;
  if (!parseNumber(text, number) || number < target.low || number > target.high) {
    std::string range = target.high == std::numeric_limits<int64_t>::max()
                            ? fmt::format("of at least {}", target.low)
                            : fmt::format("from {} to {}", target.low, target.high);
    return Status::badUsage(
        fmt::format("--{}: expected an integer {}, got '{}'", name, range, text));
  }
  *target.value = number;
  return {};
}

Status setReal(const char *name, double *target, const std::string &text) {
  double number;
  if (!parseNumber(text, number) || !std::isfinite(number) || number < 0)
    return Status::badUsage(
        fmt::format("--{}: expected a number of at least 0, got '{}'", name, text));
  *target = number;
  return {};
}

Status setSwitch(const char *name, bool *target, const std::string &text) {
  if (text != "true" && text != "false")
    return Status::badUsage(fmt::format("--{}: expected true or false, got '{}'", name, text));
  *target = text == "true";
  return {};
}

Status setTarget(const Flag &flag, const std::string &text) {
  if (auto *integer = std::get_if<IntegerTarget>(&flag.target))
    return setInteger(flag.name, *integer, text);
  if (auto *real = std::get_if<double *>(&flag.target))
    return setReal(flag.name, *real, text);
  if (auto *on = std::get_if<bool *>(&flag.target))
    return setSwitch(flag.name, *on, text);
  if (auto *optional = std::get_if<OptionalText>(&flag.target)) {
    *optional->value = text;
    return {};
  }
  *std::get<std::string *>(flag.target) = text;
  return {};
}

const Flag *findFlag(std::span<const Flag> flags, std::string_view name) {
  auto found = std::ranges::find(flags, name,
                                 [](const Flag &flag) -> std::string_view { return flag.name; });
  return found == flags.end() ? nullptr : &*found;
}

/// Describes an argument such as `-epochs=3`.
Status refuseSingleDash(std::span<const Flag> flags, const std::string &argument) {
  std::string name = argument.substr(1, argument.find('=') - 1);
  return Status::badUsage(
      findFlag(flags, name) ? fmt::format("unknown flag '-{}'; did you mean --{}?", name, name)
                            : fmt::format("unknown flag '-{}'; --help lists the known ones", name));
}

/// Returns the name with a sign of the value: `--epochs=…`.
std::string describeName(const Flag &flag) {
  const char *value = std::holds_alternative<bool *>(flag.target)         ? ""
                      : std::holds_alternative<OptionalText>(flag.target) ? "[=…]"
                                                                          : "=…";
  return fmt::format("--{}{}", flag.name, value);
}

/// Returns the number of characters in UTF-8 text.
size_t countCharacters(std::string_view text) {
  return size_t(std::ranges::count_if(text, [](char c) { return (uint8_t(c) & 0xc0) != 0x80; }));
}

} // namespace

Expected<std::vector<std::string>> parseFlags(std::span<const Flag> flags,
                                              std::span<char *const> arguments) {
  std::vector<std::string> rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (argument == "-h")
      argument = "--help";
    if (!argument.starts_with("--")) {
      if (argument.size() > 1 && argument.starts_with('-'))
        return refuseSingleDash(flags, argument);
      rest.push_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag *flag = findFlag(flags, name);
    if (!flag)
      return Status::badUsage(
          fmt::format("unknown flag '--{}'; --help lists the known ones", name));
    std::string value = "true";
    if (equals != std::string::npos)
      value = argument.substr(equals + 1);
    else if (auto *optional = std::get_if<OptionalText>(&flag->target))
      value = optional->implied;
    else if (!std::holds_alternative<bool *>(flag->target)) {
      if (i + 1 == arguments.size())
        return Status::badUsage(fmt::format("--{}: expected a value", name));
      value = arguments[++i];
    }
    if (Status status = setTarget(*flag, value); !status.ok())
      return status;
  }
  return rest;
}

std::string describeFlags(std::span<const Flag> flags) {
  size_t width = 0;
  for (const Flag &flag : flags)
    if (flag.help)
      width = std::max(width, countCharacters(describeName(flag)));
  std::string text;
  for (const Flag &flag : flags)
    if (flag.help) {
      std::string name = describeName(flag);
      name.append(width - countCharacters(name), ' ');
      text += fmt::format("  {} {}\n", name, flag.help);
    }
  return text;
}

} // namespace pcc::tools
