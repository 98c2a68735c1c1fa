// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// replay-readers CORPUS [TARGET]: gives every file of CORPUS/TARGET to the target of this name.
// Each input has the limits of `make fuzz`: 10 s and 2 GiB. The name of the current input is on
// stdout, so a crash is one line after the input that caused it.
#include "test/fuzz/readers/Target.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace pcc::fuzz {
namespace {

constexpr unsigned limitSeconds = 10;
constexpr rlim_t limitBytes = rlim_t(2) << 30;

/// The targets of this program by name.
std::map<std::string, Read> &targets() {
  static std::map<std::string, Read> all;
  return all;
}

/// Returns the files of a folder, sorted; none if there is no such folder.
std::vector<std::string> listInputs(const std::filesystem::path &folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

void replay(const std::string &path, Read read) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  alarm(limitSeconds);
  read(bytes);
  alarm(0);
}

/// Limits the memory of the process, unless a sanitizer needs address space of its own.
void limitMemory() {
#ifndef PCC_SANITIZED
  rlimit limit = {limitBytes, limitBytes};
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

} // namespace

Registration::Registration(const char *name, Read read) { targets().emplace(name, read); }

/// Returns the exit code of the program.
static int replayAll(const std::string &corpus, const std::string &only) {
  limitMemory();
  int inputs = 0, ran = 0;
  for (const auto &[name, read] : targets()) {
    if (!only.empty() && name != only)
      continue;
    std::vector<std::string> paths = listInputs(corpus + "/" + name);
    if (paths.empty()) {
      std::printf("%s: expected inputs in %s/%s, got none\n", name.c_str(), corpus.c_str(),
                  name.c_str());
      return 1;
    }
    for (const std::string &path : paths)
      replay(path, read);
    inputs += int(paths.size());
    ++ran;
  }
  std::printf("%d inputs of %d targets replayed\n", inputs, ran);
  return ran > 0 ? 0 : 1;
}

} // namespace pcc::fuzz

int main(int count, char **arguments) {
  if (count < 2) {
    std::puts("usage: replay-readers CORPUS [TARGET]");
    return 2;
  }
  return pcc::fuzz::replayAll(arguments[1], count > 2 ? arguments[2] : "");
}
