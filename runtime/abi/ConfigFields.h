// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning, range and default of the options in config.proto. The flags of tools and the options of
// pass pipelines derive from these tables.
#pragma once

#include <cstdint>
#include <google/protobuf/message.h>
#include <optional>
#include <span>

namespace pcc::abi {

/// Upper bound of an option in bytes: up to here, a double represents every integer.
inline constexpr double maxByteLimit = 1LL << 53;

/// Properties of a field that its message does not declare.
struct FieldInfo {
  const char *name;
  const char *help;
  /// Range of a number: [low, high].
  double low = 0, high = 0;
  /// Value of an optional number or switch that nothing sets; none: the field stays absent.
  std::optional<int64_t> defaultValue = 0;
  /// Text of a flag that is given without a value; null: the flag needs one.
  const char *impliedValue = nullptr;
  /// Placeholder of the value in the help text; unused for switches.
  const char *valueName = "value";
};

/// Returns the fields of ParallelConfig.
std::span<const FieldInfo> listParallelFields();

/// Sets the optional numbers and switches of `message` that are absent to their defaults. Each of
/// `infos` names a field of `message`.
void setDefaults(google::protobuf::Message &message, std::span<const FieldInfo> infos);

} // namespace pcc::abi
