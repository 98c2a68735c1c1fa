// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits the nesting of brackets in text that users give. The parsers of LLVM and MLIR recurse at
// every bracket, so deeper text would exhaust the stack.
#pragma once

#include "llvm/Support/JSON.h"
#include <optional>

namespace pcc::import {

/// Largest depth of brackets in JSON and MLIR text.
inline constexpr int maxNesting = 200;

/// Error for text with deeper brackets.
inline constexpr llvm::StringLiteral nestingError =
    "expected brackets nested at most 200 deep, got more";
static_assert(maxNesting == 200, "the error names the limit");

/// Place of a bracket in a text. Lines and columns count from 1.
struct BracketPlace {
  size_t offset = 0, line = 1, column = 1;
};

/// Returns the place of the first bracket that is nested too deeply, if there is one. Counts
/// `(`, `[`, `{` and the `<` of attributes and types; skips strings and comments of MLIR.
std::optional<BracketPlace> findDeepNesting(llvm::StringRef text);

/// Parses JSON of limited nesting. Errors read `[LINE:COLUMN, byte=OFFSET]: REASON`; behind an
/// escaped pair of surrogates the column counts its letter.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace pcc::import
