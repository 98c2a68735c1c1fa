// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form of certificates. A list begins with the count of its numbers:
//
//   certificate 2
//   stage 4242 3 20 55   cutoff, split node (−1: none), scales of costs and prices
//   below 2 1 -1         the stages below; −1: the reductions alone prove the rest
//   group 1 0            options of the split node, once for each stage below
//   group 2 1 2
//   prices 2 17 0
//   messages 4 0 -3 12 9
//   original 20 55       scales of the bound of the original problem; once at most, at the end
//   times 2 5 9          program points at which the memory limit has a price
//   prices 2 17 0
//   messages 2 4 -1

#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/problem/Cursor.h"
#include <charconv>

namespace pcc::solve {

template <typename T>
static void printNumbers(std::string &out, const char *word, const std::vector<T> &numbers) {
  out.append(word).append(" ").append(std::to_string(numbers.size()));
  char digits[24];
  for (T number : numbers) {
    char *end = std::to_chars(digits, std::end(digits), number).ptr;
    out.append(" ").append(digits, end);
  }
  out += '\n';
}

std::string printCertificate(const Certificate &certificate) {
  std::string out = "certificate 2\n";
  for (const CertificateStage &stage : certificate.stages) {
    out += "stage " + toString(stage.cutoff) + " " + std::to_string(stage.split) + " " +
           std::to_string(stage.dual.costScale) + " " + std::to_string(stage.dual.priceScale) +
           "\n";
    printNumbers(out, "below", stage.below);
    for (const std::vector<int32_t> &group : stage.groups)
      printNumbers(out, "group", group);
    printNumbers(out, "prices", stage.dual.prices);
    printNumbers(out, "messages", stage.dual.messages);
  }
  if (const std::optional<OriginalDual> &original = certificate.original) {
    out += "original " + std::to_string(original->costScale) + " " +
           std::to_string(original->priceScale) + "\n";
    printNumbers(out, "times", original->times);
    printNumbers(out, "prices", original->prices);
    printNumbers(out, "messages", original->messages);
  }
  return out;
}

namespace {

class CertificateReader {
public:
  explicit CertificateReader(std::string_view text) : cursor(text) {}

  abi::Expected<Certificate> read() {
    int64_t version = 0;
    if (word("certificate") && cursor.integer(version) && version != 2)
      cursor.fail("expected version 2, got " + std::to_string(version));
    Certificate certificate;
    while (cursor.ok() && !cursor.atEnd() && !certificate.original)
      if (accept("original"))
        original(certificate.original.emplace());
      else
        stage(certificate.stages.emplace_back());
    if (cursor.ok() && !cursor.atEnd())
      cursor.fail("expected the end of the certificate");
    if (!cursor.ok())
      return cursor.status();
    return certificate;
  }

private:
  bool word(std::string_view expected) {
    size_t from = cursor.at;
    if (!cursor.ok() || cursor.word() == expected)
      return cursor.ok();
    cursor.at = from;
    return cursor.fail("expected '" + std::string(expected) + "'");
  }

  bool accept(std::string_view expected) {
    size_t from = cursor.at;
    if (cursor.word() == expected)
      return true;
    cursor.at = from;
    return false;
  }

  template <typename T> bool narrow(T &value) {
    int64_t number = 0;
    if (!cursor.integer(number))
      return false;
    value = static_cast<T>(number);
    return value == number ||
           cursor.fail("expected an integer of " + std::to_string(8 * sizeof(T)) + " bits");
  }

  template <typename T> bool numbers(std::string_view expected, std::vector<T> &into) {
    int64_t count = 0;
    if (!word(expected) || !cursor.integer(count))
      return false;
    // Each number takes a space and a digit.
    if (count < 0 || static_cast<uint64_t>(count) > (cursor.text.size() - cursor.at) / 2)
      return cursor.fail("expected a count of what follows, got " + std::to_string(count));
    into.resize(count);
    for (T &number : into)
      if (!narrow(number))
        return false;
    return true;
  }

  /// Reads a nonnegative integer of up to 37 digits.
  bool wide(Int128 &value) {
    std::string_view digits = cursor.word();
    if (digits.empty() || digits.size() > 37 ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
      return cursor.fail("expected a number of up to 37 digits");
    value = 0;
    for (char digit : digits)
      value = value * 10 + (digit - '0');
    return true;
  }

  bool stage(CertificateStage &stage) {
    if (!word("stage") || !wide(stage.cutoff) || !narrow(stage.split) ||
        !narrow(stage.dual.costScale) || !narrow(stage.dual.priceScale) ||
        !numbers("below", stage.below))
      return false;
    if (stage.split >= 0)
      for (size_t i = 0; i < stage.below.size(); ++i)
        if (!numbers("group", stage.groups.emplace_back()))
          return false;
    return numbers("prices", stage.dual.prices) && numbers("messages", stage.dual.messages);
  }

  bool original(OriginalDual &original) {
    return narrow(original.costScale) && narrow(original.priceScale) &&
           numbers("times", original.times) && numbers("prices", original.prices) &&
           numbers("messages", original.messages);
  }

  Cursor cursor;
};

} // namespace

abi::Expected<Certificate> parseCertificate(std::string_view text) {
  return CertificateReader(text).read();
}

} // namespace pcc::solve
