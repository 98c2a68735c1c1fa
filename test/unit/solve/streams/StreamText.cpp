// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/solve/streams/StreamText.h"

#include <map>
#include <sstream>

namespace pcc::streams {

/// Reads the number of runs. Returns false if it is invalid.
static bool readRuns(std::istream &line, StreamProblem &problem) {
  std::string more;
  return line >> problem.runs && problem.runs >= 1 && !(line >> more);
}

/// Reads one line. Returns false if it is invalid.
static bool readLine(std::istream &line, std::map<std::string, int> &known,
                     StreamProblem &problem) {
  Task task;
  std::string key, word;
  line >> key;
  if (key == "runs")
    return readRuns(line, problem);
  task.isLastRunOnly = key == "last";
  if (task.isLastRunOnly)
    line >> key;
  bool isSend = key == "send";
  if (!isSend && key != "compute")
    return false;
  if (isSend && (!(line >> task.stream) || task.stream < 1))
    return false;
  if (!(line >> task.seconds >> task.name) || task.seconds < 0 || known.count(task.name))
    return false;
  if (line >> word && word != "after")
    return false;
  while (line >> word) {
    auto before = known.find(word);
    if (before == known.end())
      return false;
    task.after.push_back(before->second);
    if (problem.tasks[before->second].isLastRunOnly && !task.isLastRunOnly)
      return false;
  }
  known[task.name] = int(problem.tasks.size());
  problem.tasks.push_back(task);
  return true;
}

ParsedStreams parseProblem(const std::string &text) {
  ParsedStreams parsed;
  std::map<std::string, int> known;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    std::istringstream words(line);
    if (readLine(words, known, parsed.problem))
      continue;
    parsed.error =
        "line " + std::to_string(number) +
        ": expected \"[last] compute SECONDS NAME [after NAMES]\", \"[last] send STREAM "
        "SECONDS NAME [after NAMES]\" or \"runs COUNT\" with streams and counts from 1 on, "
        "a new name and names of lines above, got \"" +
        line + "\"";
    break;
  }
  return parsed;
}

std::string printOrder(const StreamProblem &problem, const StreamOrder &order) {
  std::string text;
  for (int task : order) {
    const std::string &name = problem.tasks[task].name;
    text += (text.empty() ? "" : " ") + (name.empty() ? std::to_string(task) : name);
  }
  return text;
}

} // namespace pcc::streams
