// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the subject of an entry of `dist.constraints` or `pipe.constraints`: the ops or parameters
// to which the entry applies. Exactly one key of the entry names the subject. The entry
//
//   {module = "/h\\.0", stage = 1 : i64, place = "constraints.textproto:3"}
//
// applies to the ops whose names begin with a match of `/h\.0`, and was written in line 3.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"
#include <string>

namespace pcc::analysis {

/// Matches the names by which users refer to ops and parameters. A pattern is a literal name, or a
/// regular expression (POSIX extended, with \d, \w and \s). An expression matches whole names, a
/// leading part up to a `/` or `.`, or any part.
///
///   Whole    "/h\\.\\d+/attn"     /h.0/attn          not /h.0/attn/q
///   Leading  "/h\\.0"             /h.0, /h.0/attn    not /h.01
///   Part     "/h\\.(\\d+)/"       /h.0/attn/q
class NamePattern {
public:
  enum class Kind { Literal, Whole, Leading, Part };

  NamePattern() = default;
  NamePattern(Kind kind, llvm::StringRef text);

  llvm::StringRef getText() const { return text; }
  bool isLiteral() const { return kind == Kind::Literal; }
  /// Returns why the text is no regular expression; empty if it is one.
  const std::string &getError() const { return error; }
  bool matches(llvm::StringRef name) const;
  /// For a Part: returns the part of `name` that matches, or its first group in parentheses; empty
  /// without a match.
  llvm::StringRef find(llvm::StringRef name) const;
  /// For a Leading: returns the leading part of `name` that matches, `/h.0` for `/h.0/attn`; empty
  /// without a match.
  llvm::StringRef findModule(llvm::StringRef name) const { return find(name); }

private:
  Kind kind = Kind::Literal;
  std::string text, error;
  llvm::Regex expression;
};

/// A key that gives the subject of an entry, and how its text is read.
struct SubjectKey {
  llvm::StringLiteral key;
  NamePattern::Kind kind;
};

struct ConstraintSubject {
  size_t key = 0; ///< index among the allowed keys
  NamePattern pattern;
  std::string place; ///< where it was written; empty if unknown

  /// Describes the subject as it was written, for messages: `constraint "/h\.0" at
  /// constraints.textproto:3`.
  std::string describe() const;
  /// Emits at `module` that the constraint matches no `kind`, and fails.
  mlir::LogicalResult refuseUnmatched(mlir::ModuleOp module, llvm::StringRef kind = "op") const;

  /// Reads the only key of `entry` that is among `keys`; `what` names the kind of entry ("a
  /// constraint"). Emits a diagnostic at `module` and fails if there is no such key or more than
  /// one. Fails too if the text must be a regular expression and is none.
  static mlir::FailureOr<ConstraintSubject> read(mlir::DictionaryAttr entry,
                                                 llvm::ArrayRef<SubjectKey> keys,
                                                 llvm::StringRef what, mlir::ModuleOp module);
};

/// Returns the text of `key` in `entry`, empty if it has none.
llvm::StringRef getText(mlir::DictionaryAttr entry, llvm::StringRef key);

} // namespace pcc::analysis
