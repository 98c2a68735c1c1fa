// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes whole files through zlib, which reads plain files as well. The unpacked size is
// limited. The two formats of problems are in ProblemText.cpp and ProblemJson.cpp.
#include "passes/solve/strategy/problem/ProblemFile.h"

#include "passes/solve/strategy/problem/Cursor.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <zlib.h>

namespace pcc::solve {

/// More than any problem needs. A small compressed file must not fill the memory.
static constexpr size_t largestFile = size_t{4} << 30;

abi::Expected<std::string> readWholeFile(const std::string &path) {
  auto bad = [&](const std::string &reason) { return abi::Status::badInput(path + ": " + reason); };
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return bad("expected a file, got a folder");
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file)
    return bad(std::string("cannot open: ") + std::strerror(errno));
  std::string content;
  constexpr size_t chunk = size_t{1} << 20;
  size_t filled = 0;
  int got = 0;
  do {
    if (content.size() < filled + chunk)
      content.resize(filled + std::max(chunk, filled / 2));
    got = gzread(file, content.data() + filled, chunk);
    filled += std::max(got, 0);
  } while (got > 0 && filled < largestFile);
  content.resize(filled);
  int code = Z_OK;
  std::string reason = gzerror(file, &code);
  gzclose(file);
  if (got > 0)
    return bad("expected at most " + std::to_string(largestFile) + " bytes");
  if (got == 0 && code == Z_BUF_ERROR)
    reason = "the file is truncated";
  if (got < 0 || code == Z_BUF_ERROR)
    return bad("cannot read: " + reason);
  return content;
}

abi::Status writeWholeFile(const std::string &path, std::string_view content) {
  bool isPacked = path.ends_with(".gz");
  auto bad = [&] {
    return abi::Status::badInput(path + ": cannot write: " + std::strerror(errno));
  };
  if (isPacked) {
    gzFile file = gzopen(path.c_str(), "wb1");
    if (!file)
      return bad();
    bool isWritten = true;
    constexpr size_t chunk = size_t{1} << 20;
    for (size_t from = 0; from < content.size() && isWritten; from += chunk) {
      std::string_view part = content.substr(from, chunk);
      isWritten =
          gzwrite(file, part.data(), static_cast<unsigned>(part.size())) == int(part.size());
    }
    return gzclose(file) == Z_OK && isWritten ? abi::Status() : bad();
  }
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  return file ? abi::Status() : bad();
}

abi::Expected<StrategyProblem> readProblem(const std::string &path) {
  abi::Expected<std::string> content = readWholeFile(path);
  if (!content)
    return content.status();
  bool isJson = path.ends_with(".json") || path.ends_with(".json.gz");
  abi::Expected<StrategyProblem> problem =
      isJson ? parseProblemJson(*content) : parseProblemText(*content);
  if (!problem)
    return problem.status().within(path);
  return problem;
}

abi::Expected<StrategySolution> parseSolution(std::string_view text) {
  Cursor cursor(text);
  StrategySolution solution;
  bool isRead = cursor.expect('[');
  if (isRead && !cursor.accept(']')) {
    do {
      int64_t option = 0;
      isRead = cursor.integer(option);
      if (isRead && option != static_cast<int32_t>(option))
        isRead = cursor.fail("expected an option, got " + std::to_string(option));
      solution.push_back(static_cast<int32_t>(option));
    } while (isRead && cursor.accept(','));
    isRead = isRead && cursor.expect(']');
  }
  if (isRead && !cursor.atEnd())
    cursor.fail("expected the end, got " + cursor.describeHere());
  if (!cursor.ok())
    return cursor.status();
  return solution;
}

std::string printSolution(const StrategySolution &solution) {
  std::string out = "[";
  for (size_t i = 0; i < solution.size(); ++i)
    out.append(i ? ", " : "").append(std::to_string(solution[i]));
  return out + "]\n";
}

} // namespace pcc::solve
