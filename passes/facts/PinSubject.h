// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry of `dist.pins` or `pipe.pins` speaks of: the text of the one key that says so.
//
//   {module = "/h\\.0", stage = 1 : i64, place = "pins.textproto:3"}
//
// is of the ops whose names begin with what `/h\.0` matches, and was written in line 3.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/facts/NamePattern.h"

namespace pcc::facts {

/// A key that says what an entry speaks of, and how its text is read.
struct SubjectKey {
  llvm::StringLiteral key;
  NamePattern::Kind kind;
};

struct PinSubject {
  size_t key = 0; ///< which of the keys that may be there
  NamePattern pattern;
  std::string place; ///< where it was written; empty if unknown

  /// As it was written, for messages: `pin "/h\.0" at pins.textproto:3`.
  std::string describe() const;

  /// Of the only key of `entry` that is among `keys`, those of `what` ("a pin"). Diagnoses at
  /// `module` and fails where there is none or more than one, and where its text is no regular
  /// expression and ought to be one.
  static mlir::FailureOr<PinSubject> read(mlir::DictionaryAttr entry,
                                          llvm::ArrayRef<SubjectKey> keys, llvm::StringRef what,
                                          mlir::ModuleOp module);
};

/// The text of `key` in `entry`, empty if it has none.
llvm::StringRef getText(mlir::DictionaryAttr entry, llvm::StringRef key);

} // namespace pcc::facts
