// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits rules at commas, `=` and `:` and reports errors under the name of the option.
#include "passes/schedule/collectives/CommFusion.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace pcc::schedule {

static abi::Status bad(StringRef option, const std::string &message) {
  return abi::Status::badUsage(option.str() + ": " + message);
}

/// Parses strictly ascending positive numbers.
static abi::Expected<std::vector<int64_t>> parseEnds(StringRef option, ArrayRef<StringRef> words) {
  std::vector<int64_t> ends;
  for (StringRef word : words) {
    int64_t end = 0;
    if (word.trim().getAsInteger(10, end) || end < 1)
      return bad(option, formatv("expected positive numbers, got \"{0}\"", word.trim()));
    if (!ends.empty() && end <= ends.back())
      return bad(option,
                 formatv("expected numbers that ascend, got {0} behind {1}", end, ends.back()));
    ends.push_back(end);
  }
  return ends;
}

static abi::Expected<FusionRule> parseRule(StringRef text, bool isAllReduce) {
  constexpr StringLiteral option = "comm_fusion";
  SmallVector<StringRef> words;
  text.split(words, ':');
  StringRef name = words.front().trim();
  auto mode = StringSwitch<std::optional<FusionMode>>(name)
                  .Case("auto", FusionMode::Auto)
                  .Case("off", FusionMode::Off)
                  .Case("all", FusionMode::All)
                  .Case("size", FusionMode::Size)
                  .Case("index", FusionMode::Index)
                  .Default(std::nullopt);
  if (!mode)
    return bad(option, formatv("expected auto, off, all, size:MB or index:N:M, got \"{0}\"", name));
  FusionRule rule{*mode};
  ArrayRef<StringRef> values = ArrayRef(words).drop_front();
  if (*mode == FusionMode::Size) {
    bool isNumber = values.size() == 1 && !values[0].trim().getAsInteger(10, rule.megabytes);
    if (!isNumber || rule.megabytes < 0 || rule.megabytes > (int64_t(1) << 32))
      return bad(option, formatv("expected size:MB with a number of megabytes, got \"{0}\"", text));
    return rule;
  }
  if (*mode != FusionMode::Index) {
    if (!values.empty())
      return bad(option, formatv("expected \"{0}\" without a number, got \"{1}\"", name, text));
    return rule;
  }
  if (!isAllReduce)
    return bad(option, "expected index of all_reduce only");
  if (values.empty())
    return bad(option, "expected index:N:M with numbers of all-reduces, got none");
  abi::Expected<std::vector<int64_t>> ends = parseEnds(option, values);
  if (!ends)
    return ends.status();
  rule.ends = *ends;
  return rule;
}

/// Parses rules of the form `kind=rule`, separated by commas.
static abi::Expected<CommFusion> parseKinds(StringRef text) {
  CommFusion fusion;
  SmallVector<StringRef> parts, given;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [kind, value] = part.split('=');
    kind = kind.trim();
    FusionRule *rule = StringSwitch<FusionRule *>(kind)
                           .Case("all_reduce", &fusion.allReduce)
                           .Case("all_gather", &fusion.allGather)
                           .Case("reduce_scatter", &fusion.reduceScatter)
                           .Default(nullptr);
    if (!rule)
      return bad("comm_fusion",
                 formatv("expected all_reduce, all_gather or reduce_scatter, got \"{0}\"", kind));
    if (is_contained(given, kind))
      return bad("comm_fusion", formatv("{0} is given twice", kind));
    given.push_back(kind);
    abi::Expected<FusionRule> parsed = parseRule(value.trim(), rule == &fusion.allReduce);
    if (!parsed)
      return parsed.status();
    *rule = *parsed;
  }
  return fusion;
}

/// Parses one rule for all kinds, or one rule for each of several kinds.
static abi::Expected<CommFusion> parseRules(StringRef text) {
  if (text.contains('='))
    return parseKinds(text);
  CommFusion fusion;
  abi::Expected<FusionRule> rule = parseRule(text, /*isAllReduce=*/true);
  if (!rule)
    return rule.status();
  fusion.allReduce = *rule;
  if (rule->mode != FusionMode::Index)
    fusion.allGather = fusion.reduceScatter = *rule;
  return fusion;
}

abi::Expected<CommFusion> parseCommFusion(StringRef commFusion, StringRef allReduceConfig) {
  CommFusion fusion;
  if (!commFusion.trim().empty()) {
    abi::Expected<CommFusion> given = parseRules(commFusion.trim());
    if (!given)
      return given.status();
    fusion = *given;
  }
  if (allReduceConfig.trim().empty())
    return fusion;
  constexpr StringLiteral option = "all_reduce_fusion_config";
  if (fusion.allReduce.mode == FusionMode::Index)
    return bad(option, "comm_fusion has indices of all-reduces, too; expected one of them");
  StringRef list = allReduceConfig.trim();
  if (list.consume_front("[") != list.consume_back("]"))
    return bad(option, formatv("expected numbers between brackets, got \"{0}\"", allReduceConfig));
  SmallVector<StringRef> words;
  list.split(words, ',');
  abi::Expected<std::vector<int64_t>> ends = parseEnds(option, words);
  if (!ends)
    return ends.status();
  fusion.allReduce = {FusionMode::Index, 0, *ends};
  return fusion;
}

} // namespace pcc::schedule
