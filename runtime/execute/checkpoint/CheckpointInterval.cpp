// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number, then one of the units of a table.

#include "runtime/execute/checkpoint/CheckpointInterval.h"

#include <charconv>
#include <string_view>

namespace pcc::runtime {

Expected<CheckpointInterval> parseCheckpointInterval(const std::string &text) {
  struct Unit {
    std::string_view name;
    int64_t CheckpointInterval::*field;
  };
  static constexpr Unit units[] = {{"", &CheckpointInterval::steps},
                                   {"steps", &CheckpointInterval::steps},
                                   {"epochs", &CheckpointInterval::epochs},
                                   {"min", &CheckpointInterval::minutes}};
  // More minutes would exceed the clock, and no run has more steps.
  constexpr int64_t most = 100'000'000;
  CheckpointInterval interval;
  if (text.empty())
    return interval;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest(end, size_t(text.data() + text.size() - end));
  for (const Unit &unit : units)
    if (error == std::errc() && rest == unit.name && number >= 1 && number <= most) {
      interval.*unit.field = number;
      return interval;
    }
  return Status::badUsage(
      fmt::format("--checkpoint-every: expected a number from 1 to {} with the unit steps "
                  "(default), epochs or min, got '{}'",
                  most, text));
}

} // namespace pcc::runtime
