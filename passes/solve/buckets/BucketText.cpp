// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line-based reader and printer of gradient fusion problems. The first word of a line selects the
// entry; anything left over after the entry is an error. Doubles are printed with 17 digits and so
// read back exactly.
#include "passes/solve/buckets/BucketProblem.h"

#include <sstream>

namespace pcc::buckets {

/// Reads what follows `key` on its line into `problem`. Returns false if it is invalid.
static bool readEntry(const std::string &key, std::istream &line, BucketProblem &problem) {
  if (key == "algorithm") {
    MessageTime time;
    if (!(line >> time.latency >> time.perByte))
      return false;
    problem.algorithms.push_back(time);
    return time.latency >= 0 && time.perByte >= 0;
  }
  if (key == "gradient") {
    Gradient gradient;
    if (!(line >> gradient.ready >> gradient.bytes))
      return false;
    std::getline(line >> std::ws, gradient.name); // optional, to the end of the line
    line.clear();
    bool ascends = problem.gradients.empty() || problem.gradients.back().ready <= gradient.ready;
    problem.gradients.push_back(gradient);
    return ascends && gradient.ready >= 0 && gradient.bytes >= 0;
  }
  if (key == "copy")
    return line >> problem.copyPerByte && problem.copyPerByte >= 0;
  if (key == "limit")
    return line >> problem.limit && problem.limit >= 0;
  if (key == "computed")
    return line >> problem.computed && problem.computed >= 0;
  return false;
}

ParsedFusion parseProblem(const std::string &text) {
  ParsedFusion parsed;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.starts_with('#') ? "" : line);
    std::string key, rest;
    if (!(words >> key))
      continue;
    if (readEntry(key, words, parsed.problem) && !(words >> rest))
      continue;
    parsed.error = "line " + std::to_string(number) +
                   ": expected \"algorithm LATENCY PER-BYTE\", \"copy PER-BYTE\", \"limit BYTES\", "
                   "\"computed SECONDS\" or \"gradient READY BYTES [NAME]\"; numbers "
                   "must not be negative, and gradients must be in the order in which they become "
                   "ready, got \"" +
                   line + "\"";
    return parsed;
  }
  if (parsed.problem.algorithms.empty())
    parsed.error = "expected at least one algorithm";
  return parsed;
}

std::string printProblem(const BucketProblem &problem) {
  std::ostringstream text;
  text.precision(17); // every double is read back exactly
  for (const MessageTime &algorithm : problem.algorithms)
    text << "algorithm " << algorithm.latency << ' ' << algorithm.perByte << '\n';
  if (problem.copyPerByte > 0)
    text << "copy " << problem.copyPerByte << '\n';
  if (problem.limit > 0)
    text << "limit " << problem.limit << '\n';
  if (problem.computed > 0)
    text << "computed " << problem.computed << '\n';
  for (const Gradient &gradient : problem.gradients) {
    text << "gradient " << gradient.ready << ' ' << gradient.bytes;
    text << (gradient.name.empty() ? "" : " ") << gradient.name << '\n';
  }
  return text.str();
}

std::string printBuckets(const Buckets &buckets) {
  std::string text;
  for (const std::vector<int> &bucket : buckets) {
    text += text.empty() ? "" : " |";
    for (int member : bucket)
      text += (text.empty() ? "" : " ") + std::to_string(member);
  }
  return text;
}

} // namespace pcc::buckets
