// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the children of all threads of the process from /proc. A child that has ended stays there,
// in state Z, until its parent waits for it.

#include "runtime/supervise/ProcessGroup.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <vector>

namespace pcc::runtime {
namespace {

std::vector<pid_t> childrenOf(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto &thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    std::ifstream list(thread.path() / "children");
    children.insert(children.end(), std::istream_iterator<pid_t>(list), {});
  }
  return children;
}

/// Returns whether a child has ended; false if it is gone.
bool hasEnded(pid_t child) {
  std::ifstream file(fmt::format("/proc/{}/stat", child));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  size_t name = text.rfind(") "); // its name may have parentheses
  return name != std::string::npos && text.substr(name + 2, 1) == "Z";
}

} // namespace

StuckLauncher::StuckLauncher(const std::string &program) {
  std::string name = std::filesystem::path(program).filename();
  isKnown = name == "mpirun" || name == "mpiexec" || name == "orterun" || name == "prterun";
}

bool StuckLauncher::isStuck(pid_t pid, int64_t now) {
  std::vector<pid_t> children = childrenOf(pid);
  if (!isKnown || children.empty() || !std::ranges::all_of(children, hasEnded)) {
    since = -1;
    return false;
  }
  if (since < 0)
    since = now;
  bool isOver = double(now - since) / 1e9 >= patience;
  if (isOver)
    since = -1;
  return isOver;
}

} // namespace pcc::runtime
