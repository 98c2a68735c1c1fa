// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte-level byte-pair encoding (Radford et al.: Language models are unsupervised multitask
// learners, 2019). A piece of text begins as a token for each byte. Again and again, the pair of
// neighbors that comes first in a list of merges becomes one token.
//
//   merges        "h e", "l l", "he ll"
//   "hello"       h e l l o → he l l o → he ll o → hell o
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <vector>

namespace pcc::tokenize {

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

} // namespace pcc::tokenize
