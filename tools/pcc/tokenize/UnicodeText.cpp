// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular expressions and normal forms, by ICU. Uses its C interface, in which every call takes the
// code of the error before it.

#include "tools/pcc/tokenize/Tokenizer.h"
#include "llvm/Support/FormatVariadic.h"
#include <unicode/unorm2.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>

namespace pcc::tokenize {
namespace {

abi::Status failure(const char *what, UErrorCode code) {
  return abi::Status::badInput(llvm::formatv("{0}: {1}", what, u_errorName(code)));
}

} // namespace

std::u16string toUtf16(llvm::StringRef text) {
  std::u16string result(text.size(), u'\0'); // never longer
  int32_t length = 0;
  UErrorCode code = U_ZERO_ERROR;
  u_strFromUTF8(result.data(), int32_t(result.size()), &length, text.data(), int32_t(text.size()),
                &code);
  result.resize(U_SUCCESS(code) ? size_t(length) : 0);
  return result;
}

std::string toUtf8(std::u16string_view text) {
  std::string result(text.size() * 3, '\0'); // never longer
  int32_t length = 0;
  UErrorCode code = U_ZERO_ERROR;
  u_strToUTF8(result.data(), int32_t(result.size()), &length, text.data(), int32_t(text.size()),
              &code);
  result.resize(U_SUCCESS(code) ? size_t(length) : 0);
  return result;
}

abi::Expected<std::u16string> normalize(const std::string &form, const std::u16string &text) {
  UErrorCode code = U_ZERO_ERROR;
  const UNormalizer2 *normalizer = form == "NFC"    ? unorm2_getNFCInstance(&code)
                                   : form == "NFD"  ? unorm2_getNFDInstance(&code)
                                   : form == "NFKC" ? unorm2_getNFKCInstance(&code)
                                                    : unorm2_getNFKDInstance(&code);
  if (U_FAILURE(code))
    return failure("normal form", code);
  std::u16string result(text.size() + 16, u'\0');
  for (;;) {
    code = U_ZERO_ERROR;
    int32_t length = unorm2_normalize(normalizer, text.data(), int32_t(text.size()), result.data(),
                                      int32_t(result.size()), &code);
    if (U_FAILURE(code) && code != U_BUFFER_OVERFLOW_ERROR)
      return failure("normal form", code);
    result.resize(size_t(length));
    if (code != U_BUFFER_OVERFLOW_ERROR)
      return result;
  }
}

void Pattern::Close::operator()(void *expression) const {
  uregex_close(static_cast<URegularExpression *>(expression));
}

abi::Expected<Pattern> Pattern::compile(llvm::StringRef text, bool isLiteral) {
  std::u16string pattern = toUtf16(text);
  UErrorCode code = U_ZERO_ERROR;
  UParseError place = {};
  Pattern compiled;
  compiled.expression.reset(uregex_open(pattern.data(), int32_t(pattern.size()),
                                        isLiteral ? UREGEX_LITERAL : 0, &place, &code));
  if (U_FAILURE(code))
    return abi::Status::badInput(
        llvm::formatv("expected a regular expression of ICU, got '{0}': {1} at character {2}", text,
                      u_errorName(code), place.offset));
  // About 10 s for a match: some expressions take exponential time.
  uregex_setTimeLimit(static_cast<URegularExpression *>(compiled.expression.get()), 10000, &code);
  return compiled;
}

abi::Status Pattern::forEachMatch(std::u16string_view text,
                                  llvm::function_ref<void(size_t, size_t)> match) const {
  auto *own = static_cast<URegularExpression *>(expression.get());
  UErrorCode code = U_ZERO_ERROR;
  // ICU tells an empty text by its length, but takes no null pointer.
  uregex_setText(own, text.empty() ? u"" : text.data(), int32_t(text.size()), &code);
  while (U_SUCCESS(code) && uregex_findNext(own, &code)) {
    int32_t begin = uregex_start(own, 0, &code), end = uregex_end(own, 0, &code);
    if (U_SUCCESS(code) && end > begin)
      match(size_t(begin), size_t(end));
  }
  return U_SUCCESS(code) ? abi::Status() : failure("regular expression", code);
}

} // namespace pcc::tokenize
