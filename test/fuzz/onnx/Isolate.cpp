// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Isolate.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace pcc::fuzz {

static void writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0)
      return;
    done += static_cast<size_t>(count);
  }
}

static std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(file, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  return text;
}

namespace {

/// A child process and the end of the pipe from which its result is read.
struct Child {
  pid_t process = -1;
  int end = -1;
};

} // namespace

/// Starts a child process; `seconds` of 0 means no limit.
static Child start(llvm::function_ref<std::string()> body, unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
      signal(number, SIG_DFL);
    alarm(seconds);
    writeAll(ends[1], body() + "."); // marks a complete result
    _exit(0);
  }
  close(ends[1]);
  return {process, ends[0]};
}

static Outcome finish(Child child, unsigned seconds) {
  if (child.process < 0)
    return {"", "no process"};
  Outcome outcome{readAll(child.end), ""};
  close(child.end);
  int status = 0;
  waitpid(child.process, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    outcome.fault = "time limit of " + std::to_string(seconds) + " s";
  else if (WIFSIGNALED(status))
    outcome.fault = "signal " + std::to_string(WTERMSIG(status));
  else if (outcome.text.empty() || outcome.text.back() != '.')
    outcome.fault = "exit code " + std::to_string(WEXITSTATUS(status));
  else
    outcome.text.pop_back();
  return outcome;
}

Outcome runIsolated(llvm::function_ref<std::string()> body, unsigned seconds) {
  return finish(start(body, seconds), seconds);
}

std::vector<Outcome> runTogether(unsigned count, llvm::function_ref<std::string(unsigned)> body) {
  std::vector<Child> children;
  for (unsigned number = 0; number < count; ++number)
    children.push_back(start([&] { return body(number); }, 0));
  std::vector<Outcome> outcomes;
  for (Child child : children)
    outcomes.push_back(finish(child, 0));
  return outcomes;
}

} // namespace pcc::fuzz
