// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of one start form a group. When one fails, the others only wait for it, so they get
// SIGTERM and later SIGKILL. The next group starts when none is left: checkpoints and metrics have
// one writer at a time.

#include "runtime/supervise/Supervise.h"

#include "runtime/collective/Launch.h"
#include "runtime/supervise/Backoff.h"
#include "runtime/supervise/NewCheckpoints.h"
#include "runtime/supervise/ProcessGroup.h"
#include "runtime/supervise/ReservedPort.h"
#include "runtime/supervise/StuckLauncher.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace pcc::runtime {
namespace {

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
