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
#include "tools/pcc/tokenize/UnicodeText.h"

namespace pcc::tokenize {

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
