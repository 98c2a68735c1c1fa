// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over a message that remembers where it is and keeps the first thing found wrong.

#ifndef PCC_RUNTIME_ABI_CHECKER_H
#define PCC_RUNTIME_ABI_CHECKER_H

#include "runtime/abi/Stages.h"
#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pcc::abi {

class Checker {
public:
  /// While it lives, findings are inside the named field (and the numbered element of it).
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

  /// Records a finding if `condition` does not hold and none was recorded before; returns
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

/// Largest number of elements or iterations that a record may name.
inline constexpr int64_t maxExtent = int64_t(1) << 40;

/// Whether a number of elements (ElementTypes.h) is one, and small enough that its bytes are too.
inline bool isSize(std::optional<int64_t> count) { return count && *count <= maxExtent; }

/// Checks of a record's operands.
struct OperandChecks {
  Checker &checker;
  const Program &program;
  /// Those that run the program.
  const RankRange ranks;

  /// Checks that `operand` has room for `bytes` and, if it is written, may be.
  void room(const char *name, const Operand &operand, uint64_t bytes, uint64_t alignment,
            bool written) const;
  /// Checks that two valid operands are the same range (if allowed) or do not overlap.
  void overlap(const Operand &a, uint64_t aBytes, const Operand &b, uint64_t bBytes,
               bool mayBeSame) const;
};

void checkCollective(const OperandChecks &operands, const Executable &executable,
                     const Collective &collective);

void checkAttention(const OperandChecks &operands, const Attention &attention);

void checkMatmul(const OperandChecks &operands, const Matmul &matmul);

void checkConvolution(const OperandChecks &operands, const Convolution &convolution);

/// Whether the inputs are rows of one batch. A program without a step and metrics takes any.
bool takesRows(const Program &program);

/// Checks parameters, inputs, results and metrics of a program whose memory plan is valid, for the
/// ranks that run it.
void checkTables(Checker &checker, const Executable &executable, const Program &program,
                 RankRange ranks);

/// Adds `name` to `names`; an empty name, or one given twice, is a finding.
void checkName(Checker &checker, std::set<std::string> &names, const std::string &name);

/// Checks the records of a program whose memory plan is valid, for the ranks that run it.
void checkRecords(Checker &checker, const Executable &executable, const Program &program,
                  RankRange ranks);

/// Checks which collectives of a program whose records are valid go in one message.
void checkFused(Checker &checker, const Executable &executable, const Program &program);

/// Checks the events of a program whose records are valid.
void checkEvents(Checker &checker, const Executable &executable, const Program &program);

/// Checks that an expression only names axes of the mesh and cannot overflow.
bool checkExpression(Checker &checker, const RankExpression &expression, const Mesh &mesh);

/// Checks a buffer's index.
bool checkBufferIndex(Checker &checker, const Program &program, uint32_t buffer);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_CHECKER_H
