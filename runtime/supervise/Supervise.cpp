// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of one start form a group. When one fails, the others only wait for it, so they get
// SIGTERM and later SIGKILL. The next group starts when none is left: checkpoints and metrics have
// one writer at a time.

#include "runtime/supervise/Supervise.h"

#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/collective/Launch.h"
#include "runtime/supervise/Backoff.h"
#include "runtime/supervise/ProcessGroup.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pcc::runtime {
namespace {

//===--- Ends of processes -----------------------------------------------===//

constexpr int firstOfSignals = 128; // as a shell reports a process that a signal ended

/// Returns the exit code of a failed run, which may be the consequence of another process's end.
int codeOfFailedRun() { return Status::failed("").exitCode(); }

bool isStopCode(int code) {
  return code == firstOfSignals + SIGTERM || code == firstOfSignals + SIGINT;
}

/// Orders ends that were seen together: the greatest is the cause of the others.
int causeRank(const ProcessEnd &end) {
  return end.signal != 0 ? 3 : end.code == 0 ? 0 : end.code == codeOfFailedRun() ? 1 : 2;
}

std::string describe(const ProcessEnd &end, int processes) {
  std::string name = processes == 1
                         ? fmt::format("process {}", end.pid)
                         : fmt::format("process {} of {} ({})", end.process, processes, end.pid);
  if (end.signal == 0)
    return fmt::format("{} ended with exit code {}", name, end.code);
  const char *signal = sigabbrev_np(end.signal);
  return signal ? fmt::format("{} was ended by SIG{}", name, signal)
                : fmt::format("{} was ended by signal {}", name, end.signal);
}

//===--- Checkpoints of a run --------------------------------------------===//

/// Tells the checkpoints that a supervised run has written from those that were there before.
class NewCheckpoints {
public:
  /// Remembers the complete checkpoints of the folder.
  explicit NewCheckpoints(std::string folder);

  /// Returns the checkpoint of the highest step that was written since, if there is one.
  std::optional<CheckpointEntry> latest() const;

private:
  /// Distinguishes a manifest from a later one of the same name.
  struct ManifestId {
    uint64_t inode = 0;
    int64_t nanoseconds = 0; ///< when it was written
    bool operator==(const ManifestId &) const = default;
  };
  static ManifestId idOf(const CheckpointEntry &entry);

  const std::string folder;
  std::map<std::string, ManifestId> before; ///< by path
};

/// Returns the complete checkpoints, the latest last; none if the folder cannot be read.
std::vector<CheckpointEntry> completeIn(const std::string &folder) {
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(folder);
  if (!entries)
    return {};
  std::erase_if(*entries, [](const CheckpointEntry &entry) { return !entry.isComplete; });
  return std::move(*entries);
}

NewCheckpoints::ManifestId NewCheckpoints::idOf(const CheckpointEntry &entry) {
  struct stat info;
  if (stat(fmt::format("{}/{}", entry.path, manifestName).c_str(), &info) != 0)
    return {};
  return {uint64_t(info.st_ino),
          int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
}

NewCheckpoints::NewCheckpoints(std::string folder) : folder(std::move(folder)) {
  for (const CheckpointEntry &entry : completeIn(this->folder))
    before[entry.path] = idOf(entry);
}

std::optional<CheckpointEntry> NewCheckpoints::latest() const {
  std::optional<CheckpointEntry> found;
  for (CheckpointEntry &entry : completeIn(folder))
    if (auto old = before.find(entry.path); old == before.end() || old->second != idOf(entry))
      found = std::move(entry);
  return found;
}

//===--- A port for the processes ----------------------------------------===//

/// A free port for the store of processes that are about to start.
///
/// It is a port of the loopback that nobody else gets during the object's lifetime. The process for
/// which it is meant can listen at it, since this socket never listens (SO_REUSEADDR).
class ReservedPort {
public:
  /// Returns a port that is free now. The error (Failed) has the system's reason.
  static Expected<ReservedPort> reserve();
  ~ReservedPort();
  ReservedPort(ReservedPort &&other) noexcept;
  ReservedPort &operator=(ReservedPort &&) = delete;

  int port() const { return number; }

private:
  ReservedPort(int socket, int number) : socket(socket), number(number) {}

  int socket; ///< -1: moved from
  int number;
};

Expected<ReservedPort> ReservedPort::reserve() {
  ReservedPort reserved(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 0);
  int on = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  socklen_t size = sizeof address;
  if (reserved.socket < 0 ||
      setsockopt(reserved.socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(reserved.socket, generic, size) != 0 ||
      getsockname(reserved.socket, generic, &size) != 0)
    return Status::failed(fmt::format("no free port of 127.0.0.1: {}", std::strerror(errno)));
  reserved.number = ntohs(address.sin_port);
  return reserved;
}

ReservedPort::~ReservedPort() {
  if (socket >= 0)
    close(socket);
}

ReservedPort::ReservedPort(ReservedPort &&other) noexcept
    : socket(std::exchange(other.socket, -1)), number(other.number) {}

//===--- Starts and restarts ---------------------------------------------===//

class Supervisor {
public:
  explicit Supervisor(const SuperviseOptions &options)
      : options(options), written(options.checkpoints) {}

  Expected<int> run() {
    std::vector<std::string> command = options.command;
    Backoff backoff(options.backoff);
    for (int64_t restart = 0;; ++restart) {
      Expected<ProcessEnd> end = runGroup(command);
      if (!end)
        return end.status();
      if (end->code == 0 || stopSignal != 0 || (end->signal == 0 && isStopCode(end->code)))
        return end->code;
      std::string text = describe(*end, options.processes);
      if (end->signal == 0 && !isWorthRestart(end->code)) {
        if (options.processes > 1 || options.restarts > 0)
          options.tell(text + ", which no restart changes");
        return end->code;
      }
      if (restart == options.restarts) {
        options.tell(options.restarts == 0
                         ? text
                         : fmt::format("{} after {} of {} restarts", text, restart, restart));
        return end->code;
      }
      command = options.command;
      std::optional<CheckpointEntry> checkpoint = written.latest();
      if (checkpoint)
        command.push_back("--resume=" + checkpoint->path);
      double seconds = backoff.next(checkpoint ? checkpoint->step : 0);
      options.tell(fmt::format(
          "{}; restart {} of {}{} {}", text, restart + 1, options.restarts,
          seconds > 0 ? fmt::format(", in {:g} s,", seconds) : "",
          checkpoint
              ? fmt::format("goes on after step {} from '{}'", checkpoint->step, checkpoint->path)
              : "starts the command again: it has completed no checkpoint"));
      if (!pause(seconds))
        return end->code;
    }
  }

private:
  /// Runs all processes until none is left. Returns the end that counts: the first failure, else a
  /// requested end, else success.
  Expected<ProcessEnd> runGroup(const std::vector<std::string> &command);
  Status start(ProcessGroup &group, const std::vector<std::string> &command, int port);
  /// Waits before a restart; false if a signal asks to stop meanwhile.
  bool pause(double seconds);
  void passOn(int signal, const ProcessGroup &group, bool isEnding);
  void endIfStuck(StuckLauncher &launcher, const ProcessGroup &group) const;

  const SuperviseOptions &options;
  const NewCheckpoints written;
  const AwaitedSignals signals;
  int stopSignal = 0; ///< SIGTERM or SIGINT, which came to this process; 0: neither
};

Status Supervisor::start(ProcessGroup &group, const std::vector<std::string> &command, int port) {
  if (Status status = group.startGuard(); !status.ok())
    return status;
  for (int process = 0; process < options.processes; ++process) {
    std::vector<Variable> variables;
    if (options.processes > 1)
      variables = variablesOfLocalProcess(process, options.processes, port);
    if (Status status = group.start(command, variables); !status.ok())
      return status;
  }
  return {};
}

Expected<ProcessEnd> Supervisor::runGroup(const std::vector<std::string> &command) {
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  constexpr double longest = 3600;
  std::optional<ReservedPort> port;
  if (options.processes > 1) {
    Expected<ReservedPort> reserved = ReservedPort::reserve();
    if (!reserved)
      return reserved.status();
    port.emplace(std::move(*reserved));
  }
  ProcessGroup group(signals);
  if (Status status = start(group, command, port ? port->port() : 0); !status.ok())
    return status;
  ProcessEnd result;
  int64_t deadline = never;
  StuckLauncher launcher(command.front());
  while (group.running() > 0) {
    double left = deadline == never ? longest : double(deadline - nowNanoseconds()) / 1e9;
    if (left <= 0) {
      group.kill();
      left = 1;
    }
    if (launcher.isLauncher()) {
      endIfStuck(launcher, group);
      left = std::min(left, StuckLauncher::interval);
    }
    passOn(signals.wait(left), group, /*isEnding=*/deadline != never);
    std::vector<ProcessEnd> ends = group.takeEnded();
    if (ends.empty() || deadline != never)
      continue;
    ProcessEnd first = *std::ranges::max_element(ends, {}, causeRank);
    if (first.code == 0)
      continue;
    if (result.code == 0)
      result = first;
    // After a requested end, the others still write what they have to.
    if (first.signal == 0 && isStopCode(first.code))
      continue;
    result = first;
    group.send(SIGTERM);
    deadline = nowNanoseconds() + int64_t(options.grace * 1e9);
  }
  return result;
}

bool Supervisor::pause(double seconds) {
  int64_t end = nowNanoseconds() + int64_t(seconds * 1e9), left;
  do {
    left = std::max<int64_t>(0, end - nowNanoseconds());
    if (int signal = signals.wait(double(left) / 1e9); signal == SIGTERM || signal == SIGINT)
      stopSignal = signal;
  } while (stopSignal == 0 && left > 0);
  return stopSignal == 0;
}

/// Ends an mpirun that has not noticed that its processes have ended.
void Supervisor::endIfStuck(StuckLauncher &launcher, const ProcessGroup &group) const {
  std::optional<pid_t> process = group.first();
  if (!process || !launcher.isStuck(*process, nowNanoseconds()))
    return;
  options.tell(fmt::format("process {} waits for processes that ended {:g} s ago, and is killed",
                           *process, StuckLauncher::patience));
  group.kill();
}

/// Passes a signal on to the processes. If they are ending already, a stop signal ends them at
/// once.
void Supervisor::passOn(int signal, const ProcessGroup &group, bool isEnding) {
  if (signal == SIGTERM || signal == SIGINT)
    stopSignal = signal;
  else if (signal != SIGUSR1)
    return;
  if (!isEnding)
    group.send(signal);
  else if (signal != SIGUSR1)
    group.kill();
}

} // namespace

bool isWorthRestart(int exitCode) {
  constexpr int internalError = 70; // of pcc itself
  return exitCode == codeOfFailedRun() || exitCode == internalError ||
         (exitCode > firstOfSignals && !isStopCode(exitCode));
}

std::string valueOf(const std::vector<std::string> &command, const std::string &flag) {
  std::string value;
  for (size_t i = 1; i < command.size(); ++i) {
    std::string_view argument = command[i];
    if (argument == flag && i + 1 < command.size())
      value = command[i + 1];
    else if (argument.starts_with(flag + "="))
      value = argument.substr(flag.size() + 1);
  }
  return value;
}

Expected<int> supervise(const SuperviseOptions &options) {
  if (options.restarts > 0 && options.checkpoints.empty())
    return Status::badUsage("--restarts: expected '--checkpoint=FOLDER' among the options of the "
                            "command, to go on from its checkpoints, got none");
  return Supervisor(options).run();
}

} // namespace pcc::runtime
