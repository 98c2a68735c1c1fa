// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tokenizer of Hugging Face's library `tokenizers`, as its file tokenizer.json describes it: a
// byte-level BPE. Text becomes tokens in these steps:
//
//   "Hi there<|end|>"
//   added tokens        "Hi there", <|end|>           tokens that are found before anything else
//   normalization       Unicode's normal forms
//   pre-tokenization    "Hi", " there"                pieces that no token crosses
//   byte pairs          "Hi", " th", "ere"            (BytePairs.cpp)
//
// A post processor, which may add tokens at the ends of a text, is left out, as with
// `encode(text, add_special_tokens=False)`.
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace pcc::tokenize {

//===-- BytePairs.cpp -------------------------------------------------------------------------===//

// Byte-level byte-pair encoding (Radford et al.: Language models are unsupervised multitask
// learners, 2019). A piece of text begins as a token for each byte. Again and again, the pair of
// neighbors that comes first in a list of merges becomes one token.
//
//   merges        "h e", "l l", "he ll"
//   "hello"       h e l l o → he l l o → he ll o → hell o

/// Returns the bytes that a token's name in a file stands for. Each byte is written as a printable
/// letter: most of Latin-1 as themselves, the others as U+0100 and later ones. Nothing for a name
/// with another letter.
std::optional<std::string> bytesOfName(llvm::StringRef name);

class BytePairs {
public:
  /// Adds a token by its name. The names of single bytes are what a piece begins with.
  void addToken(llvm::StringRef name, uint32_t id);
  /// Adds the next merge. Returns false if a token or the merged one is not known.
  bool addMerge(llvm::StringRef left, llvm::StringRef right);
  /// Lets a piece that is a token be this token, whatever the merges.
  void ignoreMerges() { takesWholePieces = true; }

  /// Returns the token with this name, if there is one.
  std::optional<uint32_t> find(llvm::StringRef name) const;

  /// Appends the tokens of a piece. Error: no token for a byte of it.
  abi::Status encode(llvm::StringRef piece, std::vector<uint32_t> &tokens);

private:
  struct Merge {
    uint32_t rank, token;
  };
  using Tokens = llvm::SmallVector<uint32_t, 4>;
  abi::Expected<Tokens> tokensOf(llvm::StringRef piece) const;
  Tokens mergeAll(llvm::ArrayRef<uint32_t> bytes) const;
  const Merge *findMerge(uint32_t left, uint32_t right) const;

  llvm::StringMap<uint32_t> tokenOfName, tokenOfBytes;
  std::array<std::optional<uint32_t>, 256> tokenOfByte = {};
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, Merge> merges;
  uint32_t numMerges = 0;
  bool takesWholePieces = false;
  /// Pieces repeat: words of a text.
  llvm::StringMap<Tokens> known;
};

//===-- Tokenizer.cpp -------------------------------------------------------------------------===//

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
