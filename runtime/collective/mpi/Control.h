// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the engines of the processes, separate from the ranks' collectives: abort of a
// run, and the state of a process's ranks. An engine answers even while its ranks compute or wait,
// so a process that does not answer is not running.

#pragma once

#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Operation.h"

#include <list>
#include <optional>

namespace pcc::runtime::mpi {

class Control final : public Activity, public std::enable_shared_from_this<Control> {
public:
  /// `group` is a communicator of all processes that is used for nothing else.
  Control(std::shared_ptr<Engine> engine, PccMpiGroup group, std::shared_ptr<Abort> abort)
      : engine(std::move(engine)), group(group), abortState(std::move(abort)) {}

  /// Polls for messages from now on. If an exception leaves the engine's work, the run is aborted
  /// with a failure that names `owner`, the ranks of this process.
  void open(const std::string &owner);

  /// Aborts the run in all processes: in this one with `reason`, in the others with its message.
  void abort(Status reason);

  /// Sets the function that makes this process's answers. Any thread may call it.
  void answerWith(std::function<std::string()> report);

  /// Asks all other processes and waits for their answers, at most `seconds`.
  std::vector<std::optional<std::string>> ask(double seconds);

  /// Progresses sends, and receives that polling has found.
  bool advance() override;
  bool isIdle() const override { return sending.empty() && receiving.empty(); }

private:
  struct Sent {
    std::string text;
    PccMpiRequest request = 0;
  };
  struct Received {
    int32_t tag = 0;
    int process = 0;
    std::string text;
    PccMpiRequest request = 0;
  };
  bool advanceReceives();
  void sendToOthers(int32_t tag, const std::string &text);
  void send(int32_t tag, int process, const std::string &text);
  bool probe();
  bool take(int32_t tag);
  void received(int32_t tag, int process, std::string text);

  const std::shared_ptr<Engine> engine;
  const PccMpiGroup group;
  const std::shared_ptr<Abort> abortState;

  // Used only by the engine's thread. Lists, since MPI reads and writes the texts in place.
  std::list<Sent> sending;
  std::list<Received> receiving;

  std::mutex mutex;
  std::condition_variable changed;
  std::function<std::string()> report;
  std::vector<std::optional<std::string>> answers;
};

} // namespace pcc::runtime::mpi
