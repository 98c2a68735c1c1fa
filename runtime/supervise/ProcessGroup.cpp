// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A started process that loses its parent gets SIGKILL from the kernel (PR_SET_PDEATHSIG), and the
// guard, which gets SIGTERM in the same way, kills the descendants. While this process lives,
// orphaned descendants become its children (PR_SET_CHILD_SUBREAPER), and it kills them when the
// last process of the group has ended. Between fork and exec a child calls only functions that a
// signal handler may call.

#include "runtime/supervise/ProcessGroup.h"

#include "runtime/abi/RetryAfterSignal.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pcc::runtime {
namespace {

/// Strings as exec takes them.
class Words {
public:
  explicit Words(std::vector<std::string> strings) : strings(std::move(strings)) {
    for (std::string &text : this->strings)
      pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  char *const *get() const { return pointers.data(); }

private:
  std::vector<std::string> strings;
  std::vector<char *> pointers;
};

/// Returns this process's environment with other values of `variables`.
Words environmentWith(const std::vector<Variable> &variables) {
  std::vector<std::string> strings;
  auto isReplaced = [&](std::string_view entry) {
    return std::ranges::any_of(variables, [&](const Variable &variable) {
      return entry.substr(0, entry.find('=')) == variable.first;
    });
  };
  for (char **entry = environ; *entry; ++entry)
    if (!isReplaced(*entry))
      strings.emplace_back(*entry);
  for (const auto &[name, value] : variables)
    if (value)
      strings.push_back(name + "=" + *value);
  return Words(std::move(strings));
}

/// Becomes the command, or writes the error code to `failure` and ends.
[[noreturn]] void becomeCommand(const Words &command, const Words &environment, pid_t parent,
                                const sigset_t &mask, int failure) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it ended before this call
    _exit(1);
  std::signal(SIGUSR1, SIG_IGN);
  int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  if (nothing != STDIN_FILENO)
    close(nothing);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(command.get()[0], command.get(), environment.get());
  int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(1);
}

/// Kills all children of this process, and their children when they become ours.
void killOrphans() {
  std::string path = fmt::format("/proc/self/task/{}/children", gettid());
  for (bool isAnyLeft = true; isAnyLeft;) {
    isAnyLeft = false;
    std::ifstream children(path);
    for (pid_t child; children >> child; isAnyLeft = true)
      ::kill(child, SIGKILL);
    for (pid_t ended = 1; ended > 0;)
      ended = abi::retryAfterSignal([&] { return waitpid(-1, nullptr, isAnyLeft ? 0 : WNOHANG); });
  }
}

} // namespace

AwaitedSignals::AwaitedSignals() {
  sigemptyset(&awaited);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGUSR1})
    sigaddset(&awaited, signal);
  sigprocmask(SIG_BLOCK, &awaited, &before);
}

AwaitedSignals::~AwaitedSignals() { sigprocmask(SIG_SETMASK, &before, nullptr); }

int AwaitedSignals::wait(double seconds) const {
  double whole = std::floor(seconds);
  timespec limit = {time_t(whole), long((seconds - whole) * 1e9)};
  int signal = sigtimedwait(&awaited, nullptr, &limit);
  return std::max(0, signal);
}

ProcessGroup::~ProcessGroup() {
  kill();
  while (running() > 0) {
    (void)signals.wait(/*seconds=*/1);
    (void)takeEnded();
  }
}

Status ProcessGroup::start(const std::vector<std::string> &command,
                           const std::vector<Variable> &variables) {
  Words words(command), environment = environmentWith(variables);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::failed(fmt::format("no pipe: {}", std::strerror(errno)));
  pid_t parent = getpid(), child = fork();
  int error = child < 0 ? errno : 0;
  if (child == 0)
    becomeCommand(words, environment, parent, signals.previous(), ends[1]);
  close(ends[1]);
  if (child > 0) {
    setpgid(child, child); // whoever comes first, so that the group exists from now on
    (void)!abi::retryAfterSignal([&] { return read(ends[0], &error, sizeof error); });
  }
  close(ends[0]);
  if (error == 0) {
    members.push_back({child});
    return {};
  }
  if (child > 0)
    abi::retryAfterSignal([&] { return waitpid(child, nullptr, 0); });
  return Status::badUsage(
      fmt::format("'{}': cannot be started: {}", command.front(), std::strerror(error)));
}

void ProcessGroup::startGuard() {
  pid_t parent = getpid(), child = fork();
  if (child != 0) // without a guard, the started processes themselves still end
    return;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM); // blocked, as in the parent
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGTERM);
  for (int signal; getppid() == parent;)
    sigwait(&ended, &signal); // anybody may send one
  kill();
  _exit(0);
}

int ProcessGroup::running() const {
  return int(std::ranges::count(members, false, &Member::hasEnded));
}

std::vector<ProcessEnd> ProcessGroup::takeEnded() {
  std::vector<ProcessEnd> ends;
  for (size_t process = 0; process < members.size(); ++process) {
    Member &member = members[process];
    siginfo_t info = {};
    // It stays a zombie until its descendants got their signal: so its number is not given anew.
    if (member.hasEnded ||
        waitid(P_PID, id_t(member.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
      continue;
    ::kill(-member.pid, SIGKILL);
    waitpid(member.pid, nullptr, 0);
    member.hasEnded = true;
    bool isExit = info.si_code == CLD_EXITED;
    constexpr int firstOfSignals = 128;
    ends.push_back({.process = int(process),
                    .pid = member.pid,
                    .code = info.si_status + (isExit ? 0 : firstOfSignals),
                    .signal = isExit ? 0 : info.si_status});
  }
  if (!ends.empty() && running() == 0)
    killOrphans(); // and the guard
  return ends;
}

void ProcessGroup::send(int signal) const {
  for (const Member &member : members)
    if (!member.hasEnded)
      ::kill(member.pid, signal);
}

void ProcessGroup::kill() const {
  for (const Member &member : members)
    if (!member.hasEnded)
      ::kill(-member.pid, SIGKILL);
}

} // namespace pcc::runtime
