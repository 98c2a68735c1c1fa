// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the possible merges of a piece in a heap, so that a long piece takes time n log n.

#include "tools/pcc/tokenize/Tokenizer.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include <queue>

namespace pcc::tokenize {
namespace {

/// Returns the byte of each letter, by code point, or -1 (OpenAI's bytes_to_unicode).
std::array<int, 512> makeAlphabet() {
  std::array<int, 512> byteOf;
  byteOf.fill(-1);
  auto isPrintable = [](int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  };
  int next = 256;
  for (int byte = 0; byte < 256; ++byte)
    byteOf[size_t(isPrintable(byte) ? byte : next++)] = byte;
  return byteOf;
}

/// A pair of neighbors that may become one token.
struct Candidate {
  uint32_t rank, token;
  size_t place; ///< of the left one

  /// The first in a heap has the least rank, then the least place.
  bool operator<(const Candidate &other) const {
    return rank != other.rank ? rank > other.rank : place > other.place;
  }
};

/// A token of a piece in a list. A merged one disappears.
struct Symbol {
  uint32_t token;
  ptrdiff_t before, after; ///< neighbors; -1: none
  bool isMerged = false;
};

} // namespace

std::optional<std::string> bytesOfName(llvm::StringRef name) {
  static const std::array<int, 512> byteOf = makeAlphabet();
  std::string bytes;
  const auto *next = name.bytes_begin();
  while (next != name.bytes_end()) {
    llvm::UTF32 letter = 0;
    if (llvm::convertUTF8Sequence(&next, name.bytes_end(), &letter, llvm::strictConversion) !=
            llvm::conversionOK ||
        letter >= byteOf.size() || byteOf[letter] < 0)
      return std::nullopt;
    bytes += char(byteOf[letter]);
  }
  return bytes;
}

void BytePairs::addToken(llvm::StringRef name, uint32_t id) {
  tokenOfName[name] = id;
  std::optional<std::string> bytes = bytesOfName(name);
  if (!bytes)
    return;
  tokenOfBytes[*bytes] = id;
  if (bytes->size() == 1)
    tokenOfByte[uint8_t(bytes->front())] = id;
}

bool BytePairs::addMerge(llvm::StringRef left, llvm::StringRef right) {
  std::optional<uint32_t> a = find(left), b = find(right), both = find((left + right).str());
  if (!a || !b || !both)
    return false;
  merges[{*a, *b}] = {numMerges++, *both};
  return true;
}

std::optional<uint32_t> BytePairs::find(llvm::StringRef name) const {
  auto found = tokenOfName.find(name);
  return found == tokenOfName.end() ? std::nullopt : std::optional(found->second);
}

const BytePairs::Merge *BytePairs::findMerge(uint32_t left, uint32_t right) const {
  auto found = merges.find({left, right});
  return found == merges.end() ? nullptr : &found->second;
}

BytePairs::Tokens BytePairs::mergeAll(llvm::ArrayRef<uint32_t> bytes) const {
  std::vector<Symbol> symbols;
  std::priority_queue<Candidate> candidates;
  for (auto [place, token] : llvm::enumerate(bytes)) {
    bool isLast = place + 1 == bytes.size();
    symbols.push_back({token, ptrdiff_t(place) - 1, isLast ? -1 : ptrdiff_t(place) + 1});
  }
  auto consider = [&](ptrdiff_t place) {
    if (place < 0 || symbols[size_t(place)].after < 0)
      return;
    const Symbol &left = symbols[size_t(place)];
    if (const Merge *merge = findMerge(left.token, symbols[size_t(left.after)].token))
      candidates.push({merge->rank, merge->token, size_t(place)});
  };
  for (size_t place = 0; place < symbols.size(); ++place)
    consider(ptrdiff_t(place));
  while (!candidates.empty()) {
    Candidate best = candidates.top();
    candidates.pop();
    Symbol &left = symbols[best.place];
    if (left.isMerged || left.after < 0)
      continue;
    Symbol &right = symbols[size_t(left.after)];
    // A neighbor may have changed since the pair was found.
    const Merge *merge = findMerge(left.token, right.token);
    if (!merge || merge->token != best.token)
      continue;
    left.token = best.token;
    left.after = right.after;
    right.isMerged = true;
    if (left.after >= 0)
      symbols[size_t(left.after)].before = ptrdiff_t(best.place);
    consider(left.before);
    consider(ptrdiff_t(best.place));
  }
  Tokens tokens;
  for (const Symbol &symbol : symbols)
    if (!symbol.isMerged)
      tokens.push_back(symbol.token);
  return tokens;
}

abi::Expected<BytePairs::Tokens> BytePairs::tokensOf(llvm::StringRef piece) const {
  if (auto whole = tokenOfBytes.find(piece); takesWholePieces && whole != tokenOfBytes.end())
    return Tokens{whole->second};
  std::vector<uint32_t> bytes;
  for (uint8_t byte : piece.bytes()) {
    if (!tokenOfByte[byte])
      return abi::Status::badInput(
          llvm::formatv("expected a token for each byte, got none for {0:x2}", byte));
    bytes.push_back(*tokenOfByte[byte]);
  }
  return mergeAll(bytes);
}

abi::Status BytePairs::encode(llvm::StringRef piece, std::vector<uint32_t> &tokens) {
  constexpr size_t maxKnown = 1 << 17, maxKnownBytes = 64;
  auto found = known.find(piece);
  if (found == known.end()) {
    abi::Expected<Tokens> own = tokensOf(piece);
    if (!own)
      return own.status();
    if (piece.size() > maxKnownBytes) {
      tokens.insert(tokens.end(), own->begin(), own->end());
      return {};
    }
    if (known.size() >= maxKnown)
      known.clear();
    found = known.try_emplace(piece, std::move(*own)).first;
  }
  tokens.insert(tokens.end(), found->second.begin(), found->second.end());
  return {};
}

} // namespace pcc::tokenize
