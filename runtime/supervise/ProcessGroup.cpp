// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The guard learns from the kernel that this process has ended (PR_SET_PDEATHSIG), and kills its
// group. A started process that is not in the group yet gets SIGKILL in the same way. While this
// process lives, orphaned descendants become its children (PR_SET_CHILD_SUBREAPER), and it kills
// them when the last process of the group has ended. Between fork and exec a child calls only
// functions that a signal handler may call.

#include "runtime/supervise/ProcessGroup.h"

#include "runtime/abi/files/RetryAfterSignal.h"

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
                                pid_t group, const sigset_t &mask, int failure) {
  setpgid(0, group);
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
  if (guard > 0) // no process was ever started
    killOrphans();
}

Status ProcessGroup::startGuard() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return Status::failed(fmt::format("no further process: {}", std::strerror(errno)));
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // blocked, as in the parent
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGTERM);
    for (int signal; getppid() == parent;)
      sigwait(&ended, &signal); // anybody may send one
    ::kill(0, SIGKILL);         // its group, and itself
    _exit(0);
  }
  setpgid(child, child); // whoever comes first, so that the group exists from now on
  guard = child;
  return {};
}

Status ProcessGroup::start(const std::vector<std::string> &command,
                           const std::vector<Variable> &variables) {
  Words words(command), environment = environmentWith(variables);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::failed(fmt::format("no pipe: {}", std::strerror(errno)));
  pid_t parent = getpid(), child = fork();
  int error = child < 0 ? errno : 0;
  if (child == 0)
    becomeCommand(words, environment, parent, guard, signals.previous(), ends[1]);
  close(ends[1]);
  if (child > 0) {
    setpgid(child, guard); // whoever comes first
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

int ProcessGroup::running() const {
  return int(std::ranges::count(members, false, &Member::hasEnded));
}

std::vector<ProcessEnd> ProcessGroup::takeEnded() {
  std::vector<ProcessEnd> ends;
  for (size_t process = 0; process < members.size(); ++process) {
    Member &member = members[process];
    int state = 0;
    if (member.hasEnded || waitpid(member.pid, &state, WNOHANG) <= 0)
      continue;
    member.hasEnded = true;
    constexpr int firstOfSignals = 128;
    int signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    ends.push_back({.process = int(process),
                    .pid = member.pid,
                    .code = signal ? firstOfSignals + signal : WEXITSTATUS(state),
                    .signal = signal});
  }
  if (!ends.empty() && running() == 0) {
    killOrphans(); // and the guard
    guard = 0;
  }
  return ends;
}

void ProcessGroup::send(int signal) const {
  for (const Member &member : members)
    if (!member.hasEnded)
      ::kill(member.pid, signal);
}

void ProcessGroup::kill() const {
  if (guard > 0)
    ::kill(-guard, SIGKILL);
}

} // namespace pcc::runtime
