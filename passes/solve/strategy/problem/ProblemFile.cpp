// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes whole files through zlib, which reads plain files as well. The decompressed
// size is limited. The two formats of problems are in ProblemText.cpp and ProblemJson.cpp.
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

/// Returns the reason of a failed system call. A library may also fail without one; then errno is
/// the 0 that the caller set, and the reason is `otherwise`.
static std::string describeSystemError(const char *otherwise) {
  return errno != 0 ? std::strerror(errno) : otherwise;
}

abi::Expected<std::string> readMaybeGzip(const std::string &path) {
  auto bad = [&](const std::string &reason) { return abi::Status::badInput(path + ": " + reason); };
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return bad("expected a file, got a folder");
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file)
    return bad("cannot open: " + describeSystemError("not enough memory"));
  std::string content;
  constexpr size_t chunk = size_t{1} << 20;
  size_t filled = 0;
  int got = 0;
  do {
    if (content.size() < filled + chunk)
      content.resize(filled + std::max(chunk, filled / 2));
    got = gzread(file, content.data() + filled, chunk);
    filled += std::max(got, 0);
  } while (got > 0 && filled <= largestFile);
  content.resize(filled);
  int code = Z_OK;
  std::string reason = gzerror(file, &code);
  gzclose(file);
  if (filled > largestFile)
    return bad("expected at most " + std::to_string(largestFile) + " bytes");
  if (got == 0 && code == Z_BUF_ERROR)
    reason = "the file is truncated";
  if (got < 0 || code == Z_BUF_ERROR)
    return bad("cannot read: " + reason);
  return content;
}

/// Returns the reason of an error of zlib.
static std::string describeZlibError(int code) {
  return code == Z_ERRNO ? describeSystemError("file error") : zError(code);
}

/// Writes a compressed file; returns the reason of an error, empty if there is none.
static std::string writeGzip(const std::string &path, std::string_view content) {
  errno = 0;
  gzFile file = gzopen(path.c_str(), "wb1");
  if (!file)
    return describeSystemError("not enough memory");
  std::string reason;
  constexpr size_t chunk = size_t{1} << 20;
  for (size_t from = 0; from < content.size() && reason.empty(); from += chunk) {
    std::string_view part = content.substr(from, chunk);
    if (gzwrite(file, part.data(), static_cast<unsigned>(part.size())) == int(part.size()))
      continue;
    int code = Z_OK;
    gzerror(file, &code);
    reason = describeZlibError(code);
  }
  errno = 0;
  int code = gzclose(file);
  if (reason.empty() && code != Z_OK)
    reason = describeZlibError(code);
  return reason;
}

/// Writes a plain file; returns the reason of an error, empty if there is none.
static std::string writePlain(const std::string &path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  return file ? "" : describeSystemError("file error");
}

abi::Status writeMaybeGzip(const std::string &path, std::string_view content) {
  std::string reason = path.ends_with(".gz") ? writeGzip(path, content) : writePlain(path, content);
  if (reason.empty())
    return {};
  return abi::Status::badInput(path + ": cannot write: " + reason);
}

abi::Expected<StrategyProblem> readProblem(const std::string &path) {
  abi::Expected<std::string> content = readMaybeGzip(path);
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
        isRead = cursor.fail("expected an option that fits 32 bits, got " + std::to_string(option));
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
