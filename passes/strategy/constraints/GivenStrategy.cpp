// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuples have a small parser of their own. Shardings are split at top-level commas and parsed by
// the dialect; its diagnostics are suppressed, so that one message can name both forms.
#include "passes/strategy/constraints/GivenStrategy.h"

#include "passes/analysis/ThreadDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// Parses `((2, 1), (1, 4))`; a comma may follow the last entry of each list.
class TupleParser {
public:
  explicit TupleParser(StringRef text) : rest(text) {}

  bool parse(std::vector<CountTuple> &tuples) {
    return parseList([&] {
             CountTuple &tuple = tuples.emplace_back();
             return parseList([&] { return !rest.consumeInteger(10, tuple.emplace_back()); });
           }) &&
           skipSpace().empty();
  }

private:
  StringRef skipSpace() { return rest = rest.ltrim(); }

  bool consume(StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }

  bool parseList(llvm::function_ref<bool()> parseEntry) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      skipSpace();
      if (!parseEntry())
        return false;
      if (!consume(",") && !skipSpace().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};

/// Splits `[dp, _], [_, tp]` into `[dp, _]` and `[_, tp]`.
SmallVector<StringRef> splitShardings(StringRef text) {
  SmallVector<StringRef> pieces;
  size_t begin = 0;
  int depth = 0;
  for (auto [index, character] : llvm::enumerate(text)) {
    depth += character == '[' || character == '(';
    depth -= character == ']' || character == ')';
    if (character != ',' || depth != 0)
      continue;
    pieces.push_back(text.slice(begin, index).trim());
    begin = index + 1;
  }
  pieces.push_back(text.drop_front(begin).trim());
  return pieces;
}

/// Parses a sharding without emitting diagnostics.
FailureOr<Sharding> parseQuietly(StringRef text, MLIRContext *context) {
  analysis::ThreadDiagnostics quiet(context);
  return dist::parseSharding(text, context);
}

} // namespace

FailureOr<GivenCuts> parseCuts(StringRef text, MLIRContext *context,
                               function_ref<InFlightDiagnostic()> emitError) {
  text = text.trim();
  if (text.starts_with("(")) {
    std::vector<CountTuple> tuples;
    if (!TupleParser(text).parse(tuples))
      return emitError() << "expected tuples of shard counts such as \"((2,1),(1,4))\", got \""
                         << text << "\"";
    return GivenCuts(std::move(tuples));
  }
  std::vector<Sharding> shardings;
  for (StringRef piece : splitShardings(text)) {
    FailureOr<Sharding> sharding = parseQuietly(piece, context);
    if (failed(sharding))
      return emitError() << "expected shardings such as \"[dp, _], [_, tp]\" or tuples of shard "
                            "counts such as \"((2,1),(1,4))\", got \""
                         << piece << "\"";
    shardings.push_back(*sharding);
  }
  return GivenCuts(std::move(shardings));
}

std::string toText(const GivenCuts &cuts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto *shardings = std::get_if<std::vector<Sharding>>(&cuts)) {
    llvm::interleaveComma(*shardings, os, [&](const Sharding &sharding) { sharding.print(os); });
    return text;
  }
  os << "(";
  for (const CountTuple &tuple : std::get<std::vector<CountTuple>>(cuts))
    os << "("
       << llvm::join(llvm::map_range(tuple, [](int64_t n) { return std::to_string(n); }), ",")
       << "),";
  if (text.back() == ',')
    text.pop_back();
  os << ")";
  return text;
}

size_t getNumTensors(const GivenCuts &cuts) {
  return std::visit([](const auto &tensors) { return tensors.size(); }, cuts);
}

int64_t getRank(const GivenCuts &cuts, size_t index) {
  if (auto *tuples = std::get_if<std::vector<CountTuple>>(&cuts))
    return (*tuples)[index].size();
  return std::get<std::vector<Sharding>>(cuts)[index].getRank();
}

bool isCut(const GivenCuts &cuts, size_t index, unsigned dim) {
  if (auto *tuples = std::get_if<std::vector<CountTuple>>(&cuts))
    return (*tuples)[index][dim] != 1;
  return !std::get<std::vector<Sharding>>(cuts)[index].getDims()[dim].empty();
}

} // namespace pcc::strategy
