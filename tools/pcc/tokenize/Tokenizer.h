// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tokenizer of Hugging Face's library `tokenizers`, as its file tokenizer.json describes it: a
// byte-level BPE. Text becomes tokens in these steps:
//
//   "Hi there<|end|>"
//   added tokens        "Hi there", <|end|>           tokens that are found before anything else
//   normalization       Unicode's normal forms
//   pre-tokenization    "Hi", " there"                pieces that no token crosses
//   byte pairs          "Hi", " th", "ere"            (BytePairs.h)
//
// A post processor, which may add tokens at the ends of a text, is left out, as with
// `encode(text, add_special_tokens=False)`.
#pragma once

#include "tools/pcc/tokenize/BytePairs.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <string>

namespace pcc::tokenize {

/// Convert between UTF-8, which must be valid, and UTF-16.
std::u16string toUtf16(llvm::StringRef text);
std::string toUtf8(std::u16string_view text);

/// Returns the text in a normal form: "NFC", "NFD", "NFKC" or "NFKD".
abi::Expected<std::u16string> normalize(const std::string &form, const std::u16string &text);

/// A regular expression with classes of Unicode, by ICU. Used by one thread at a time.
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

/// A token that is found in the text as it is.
struct AddedToken {
  std::string text;
  uint32_t id;
  /// Whether it is found after normalization, between those that are found before.
  bool isNormalized;
};

/// Cuts pieces at the matches of a pattern.
struct Split {
  Pattern pattern;
  /// Whether text between matches is a piece, too; otherwise it is dropped.
  bool keepsGaps = true;
};

class Tokenizer {
public:
  /// Reads tokenizer.json. The error names the file and what is not supported.
  static abi::Expected<Tokenizer> read(const std::string &path);

  /// Returns a token by its text; nothing if there is none.
  std::optional<uint32_t> find(llvm::StringRef text) const;
  /// The greatest token.
  uint32_t greatest() const { return greatestToken; }

  /// Appends the tokens of a text in UTF-8. Error: no token for a byte.
  abi::Status encode(llvm::StringRef text, std::vector<uint32_t> &tokens);

private:
  friend class TokenizerReader;
  abi::Status encodeSegment(llvm::StringRef text, bool isNormalized, std::vector<uint32_t> &tokens);
  abi::Status encodeNormalized(llvm::StringRef text, std::vector<uint32_t> &tokens);
  const AddedToken *addedAt(llvm::StringRef text, bool isNormalized) const;

  /// By first byte; longer texts first.
  std::array<std::vector<AddedToken>, 256> added;
  std::vector<std::string> normalForms;
  bool addsPrefixSpace = false;
  std::vector<Split> splits;
  BytePairs pairs;
  uint32_t greatestToken = 0;
};

} // namespace pcc::tokenize
