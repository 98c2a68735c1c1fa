// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the device side as values. A Status says what went wrong, its kind, and where in the
// run. Nothing on this side throws or aborts.

#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace pcc::abi {

/// The kind of a failure. Each kind has one exit code (docs/spec/cli.md).
enum class StatusKind {
  Ok,          ///< 0
  BadInput,    ///< 1: a file or its content
  BadUsage,    ///< 2: a flag or a call
  Failed,      ///< 5: the run itself
  TimedOut,    ///< 5: a collective or receive did not complete within the time limit
  Aborted,     ///< 5: stopped because another rank failed
  Unavailable, ///< 6: a missing feature or device
};

/// A position in a run. Unknown fields are absent or empty.
struct RunPosition {
  std::optional<int64_t> rank = {};
  std::optional<int64_t> step = {}; ///< from 1, as in lines of losses
  std::string section = {};
  int64_t microbatch = 0;
  int64_t copy = 0;
  std::string op = {};
  std::string location = {};
};

class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  Status(StatusKind kind, std::string message) : statusKind(kind), text(std::move(message)) {}

  static Status badInput(std::string message) { return {StatusKind::BadInput, std::move(message)}; }
  static Status badUsage(std::string message) { return {StatusKind::BadUsage, std::move(message)}; }
  static Status failed(std::string message) { return {StatusKind::Failed, std::move(message)}; }
  static Status unavailable(std::string message) {
    return {StatusKind::Unavailable, std::move(message)};
  }

  bool ok() const { return statusKind == StatusKind::Ok; }
  StatusKind kind() const { return statusKind; }

  /// The message without its position: lower case, no full stop.
  const std::string &message() const { return text; }

  /// Returns the position, then the message: "rank 3: step 7: forward_backward[0,0]: '/fc1/Gemm'
  /// (train.py:53): …".
  std::string describe() const;

  /// Returns the exit code (docs/spec/cli.md).
  int exitCode() const;

  const RunPosition &position() const { return where; }

  /// Returns the same status at `position`; known parts of its position stay.
  Status at(RunPosition position) &&;

  /// Returns the same status with "prefix: " before its message.
  Status within(const std::string &prefix) &&;

private:
  StatusKind statusKind = StatusKind::Ok;
  std::string text;
  RunPosition where;
};

/// A value, or the error that explains why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  Expected(Status status) : content(std::move(status)) {
    assert(!std::get<Status>(content).ok() && "an Expected without a value needs an error");
  }

  explicit operator bool() const { return std::holds_alternative<T>(content); }
  T &operator*() { return std::get<T>(content); }
  const T &operator*() const { return std::get<T>(content); }
  T *operator->() { return &std::get<T>(content); }
  const T *operator->() const { return &std::get<T>(content); }

  /// The error, or success if there is a value.
  Status status() const { return *this ? Status() : std::get<Status>(content); }

private:
  std::variant<T, Status> content;
};

} // namespace pcc::abi
