// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation of a message: tracks the current position and keeps the first error.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"
#include "runtime/abi/program/ProgramRanks.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pcc::abi {

class Checker {
public:
  /// Prefixes errors with the named field (and its element number) during its lifetime.
  class Scope {
  public:
    Scope(Checker &checker, const char *field, int index = -1) : checker(checker) {
      checker.path.emplace_back(field, index);
    }
    ~Scope() { checker.path.pop_back(); }
    Scope(const Scope &) = delete;

  private:
    Checker &checker;
  };

  /// Stores an error if `condition` does not hold and no error was stored before. Returns
  /// `condition`.
  template <typename... Args>
  bool expect(bool condition, fmt::format_string<Args...> text, Args &&...args) {
    if (!condition && found.ok())
      found = Status::badInput(where() + fmt::format(text, std::forward<Args>(args)...));
    return condition;
  }

  bool ok() const { return found.ok(); }
  Status status() const { return found; }

private:
  std::string where() const {
    std::string text;
    for (auto [field, index] : path)
      text += fmt::format("{}{}{}", text.empty() ? "" : ".", field,
                          index < 0 ? "" : fmt::format("[{}]", index));
    return text.empty() ? text : text + ": ";
  }

  std::vector<std::pair<const char *, int>> path;
  Status found;
};

/// Maximum number of elements or iterations of an instruction.
inline constexpr int64_t maxExtent = int64_t(1) << 40;

/// Whether an element count (ElementTypes.h) is valid and small enough that its byte count cannot
/// overflow.
inline bool isSize(std::optional<int64_t> count) { return count && *count <= maxExtent; }

/// Checks of an instruction's operands.
struct OperandChecks {
  Checker &checker;
  const Program &program;
  /// The ranks that run the program.
  const RankRange ranks;

  /// Checks that `operand` has room for `bytes` and, if `written`, lies in a writable buffer.
  void room(const char *name, const Operand &operand, uint64_t bytes, uint64_t alignment,
            bool written) const;
  /// Checks that two valid operands do not overlap, or are the same range if `mayBeSame`.
  void overlap(const Operand &a, uint64_t aBytes, const Operand &b, uint64_t bBytes,
               bool mayBeSame) const;
};

void checkCollective(const OperandChecks &operands, const Executable &executable,
                     const Collective &collective);

void checkAttention(const OperandChecks &operands, const Attention &attention);

void checkMatmul(const OperandChecks &operands, const Matmul &matmul);

void checkConvolution(const OperandChecks &operands, const Convolution &convolution);

/// Whether the inputs must be rows of one batch. A program without steps and metrics has no such
/// restriction.
bool takesRows(const Program &program);

/// Checks parameters, inputs, results and metrics of a program for the ranks that run it. The
/// memory plan must be valid.
void checkTables(Checker &checker, const Executable &executable, const Program &program,
                 RankRange ranks);

/// Adds `name` to `names`. An empty or duplicate name is an error.
void checkName(Checker &checker, std::set<std::string> &names, const std::string &name);

/// Checks the instructions of a program for the ranks that run it. The memory plan must be valid.
void checkInstructions(Checker &checker, const Executable &executable, const Program &program,
                       RankRange ranks);

/// Checks the fused collectives of a program. Its instructions must be valid.
void checkFused(Checker &checker, const Executable &executable, const Program &program);

/// Checks the events of a program. Its instructions must be valid.
void checkEvents(Checker &checker, const Executable &executable, const Program &program);

/// Checks that an expression only names axes of the mesh and cannot overflow.
bool checkExpression(Checker &checker, const RankExpression &expression, const Mesh &mesh);

/// Checks a buffer's index.
bool checkBufferIndex(Checker &checker, const Program &program, uint32_t buffer);

} // namespace pcc::abi
