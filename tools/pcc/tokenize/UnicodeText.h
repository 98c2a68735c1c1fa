// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular expressions with classes of Unicode, and normal forms, by ICU.
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace pcc::tokenize {

/// Convert between UTF-8, which must be valid, and UTF-16.
std::u16string toUtf16(llvm::StringRef text);
std::string toUtf8(std::u16string_view text);

/// Returns the text in a normal form: "NFC", "NFD", "NFKC" or "NFKD".
abi::Expected<std::u16string> normalize(const std::string &form, const std::u16string &text);

/// A regular expression. Used by one thread at a time.
class Pattern {
public:
  /// `isLiteral`: the text itself. Error: ICU does not know the expression.
  static abi::Expected<Pattern> compile(llvm::StringRef text, bool isLiteral);

  /// Calls match(begin, end) for each match that is not empty, in order, with positions in `text`.
  abi::Status forEachMatch(std::u16string_view text,
                           llvm::function_ref<void(size_t, size_t)> match) const;

private:
  struct Close {
    void operator()(void *expression) const;
  };
  std::unique_ptr<void, Close> expression;
};

} // namespace pcc::tokenize
