// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags by a table: each row says the name, what it means and where its value goes. `--name=value`
// and `--name value` are the same; a flag without a value is switched on by its name alone.

#ifndef PCC_TOOLS_PCC_RUN_FLAGS_H
#define PCC_TOOLS_PCC_RUN_FLAGS_H

#include "runtime/base/Base.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pcc::tools {

/// An integer and the range that it must be in.
struct IntegerTarget {
  int64_t *value;
  int64_t low;
  int64_t high;
};

struct Flag {
  const char *name;
  const char *help;
  std::variant<IntegerTarget, double *, std::string *, bool *> target;
};

/// Fills the targets and returns what is no flag. Errors (BadUsage) name the flag and what was
/// expected.
runtime::Expected<std::vector<std::string>> parseFlags(std::span<const Flag> flags,
                                                       std::span<char *const> arguments);

/// The help text: one line per flag.
std::string describeFlags(std::span<const Flag> flags);

} // namespace pcc::tools

#endif // PCC_TOOLS_PCC_RUN_FLAGS_H
