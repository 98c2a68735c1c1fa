// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses flags by a table: each row holds the name, the help text and the target of the value.
// `--name=value` and `--name value` are the same. A boolean flag and an optional text need no
// value; one that is given must follow '='. `-h` is `--help`.

#pragma once

#include "runtime/base/Base.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pcc::tools {

/// An integer and its range.
struct IntegerTarget {
  int64_t *value;
  int64_t low;
  int64_t high; ///< the largest int64_t: no limit
};

/// A text flag whose value may be left out; then it is `implied`.
struct OptionalText {
  std::string *value;
  const char *implied;
};

struct Flag {
  const char *name;
  const char *help; ///< null: the name that a flag had in the previous release, not described
  std::variant<IntegerTarget, double *, std::string *, bool *, OptionalText> target;
};

/// Fills the targets and returns the arguments that are not flags: those without a dash in front,
/// and "-". Errors (BadUsage) name the flag and what was expected.
runtime::Expected<std::vector<std::string>> parseFlags(std::span<const Flag> flags,
                                                       std::span<char *const> arguments);

/// Returns the help text: one line per flag, with the descriptions in one column.
std::string describeFlags(std::span<const Flag> flags);

} // namespace pcc::tools
