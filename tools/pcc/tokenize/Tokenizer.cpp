// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds added tokens from left to right, the longest one at each place. Each split cuts the pieces
// of the split before.

#include "tools/pcc/tokenize/Tokenizer.h"

namespace pcc::tokenize {
namespace {

using Range = std::pair<size_t, size_t>;

/// Cuts the pieces of a text.
abi::Status cut(const Split &split, std::u16string_view text, std::vector<Range> &pieces) {
  std::vector<Range> cutPieces;
  for (auto [begin, end] : pieces) {
    size_t next = begin;
    auto addGap = [&](size_t gapEnd) {
      if (split.keepsGaps && gapEnd > next)
        cutPieces.emplace_back(next, gapEnd);
    };
    abi::Status status = split.pattern.forEachMatch(
        text.substr(begin, end - begin), [&, first = begin](size_t from, size_t to) {
          addGap(first + from);
          cutPieces.emplace_back(first + from, first + to);
          next = first + to;
        });
    if (!status.ok())
      return status;
    addGap(end);
  }
  pieces = std::move(cutPieces);
  return {};
}

} // namespace

std::optional<uint32_t> Tokenizer::find(llvm::StringRef text) const {
  if (!text.empty())
    for (const AddedToken &token : added[uint8_t(text.front())])
      if (token.text == text)
        return token.id;
  return pairs.find(text);
}

const AddedToken *Tokenizer::addedAt(llvm::StringRef text, bool isNormalized) const {
  for (const AddedToken &token : added[uint8_t(text.front())])
    if (token.isNormalized == isNormalized && text.starts_with(token.text))
      return &token;
  return nullptr;
}

abi::Status Tokenizer::encode(llvm::StringRef text, std::vector<uint32_t> &tokens) {
  return encodeSegment(text, /*isNormalized=*/false, tokens);
}

/// Encodes text between added tokens, and these tokens.
abi::Status Tokenizer::encodeSegment(llvm::StringRef text, bool isNormalized,
                                     std::vector<uint32_t> &tokens) {
  auto encodeRest = [&](llvm::StringRef rest) -> abi::Status {
    if (rest.empty())
      return {};
    if (isNormalized)
      return encodeNormalized(rest, tokens);
    std::string normalized = rest.str();
    for (const std::string &form : normalForms) {
      abi::Expected<std::u16string> result = normalize(form, toUtf16(normalized));
      if (!result)
        return result.status();
      normalized = toUtf8(*result);
    }
    return encodeSegment(normalized, /*isNormalized=*/true, tokens);
  };
  size_t begin = 0;
  for (size_t place = 0; place < text.size();) {
    const AddedToken *token = addedAt(text.substr(place), isNormalized);
    if (!token) {
      ++place;
      continue;
    }
    if (abi::Status status = encodeRest(text.slice(begin, place)); !status.ok())
      return status;
    tokens.push_back(token->id);
    begin = place += token->text.size();
  }
  return encodeRest(text.substr(begin));
}

abi::Status Tokenizer::encodeNormalized(llvm::StringRef text, std::vector<uint32_t> &tokens) {
  std::u16string letters = toUtf16(text);
  if (addsPrefixSpace && letters.front() != u' ')
    letters.insert(letters.begin(), u' ');
  std::vector<Range> pieces = {{0, letters.size()}};
  for (const Split &split : splits)
    if (abi::Status status = cut(split, letters, pieces); !status.ok())
      return status;
  for (auto [begin, end] : pieces) {
    std::string piece = toUtf8(std::u16string_view(letters).substr(begin, end - begin));
    if (abi::Status status = pairs.encode(piece, tokens); !status.ok())
      return status;
  }
  return {};
}

} // namespace pcc::tokenize
