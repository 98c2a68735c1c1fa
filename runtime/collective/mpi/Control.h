// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engines of the processes say to each other beside the ranks' collectives: that a run is
// given up, and what a process's ranks are doing. An engine answers whatever its ranks do, so a
// process that does not answer is one that does not run.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_CONTROL_H
#define PCC_RUNTIME_COLLECTIVE_MPI_CONTROL_H

#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Operation.h"

#include <list>
#include <optional>

namespace pcc::runtime::mpi {

class Control final : public Activity, public std::enable_shared_from_this<Control> {
public:
  /// Over a communicator of all processes that is used for nothing else.
  Control(std::shared_ptr<Engine> engine, PccMpiGroup group, std::shared_ptr<Abort> abort)
      : engine(std::move(engine)), group(group), runAbort(std::move(abort)) {}

  /// Looks for messages from now on.
  void open();

  /// Gives the run up in all processes.
  void abort(const std::string &reason);

  /// What this process answers, from any thread.
  void answerWith(std::function<std::string()> report);

  /// Asks all others and waits for their answers, for `seconds` at most.
  std::vector<std::optional<std::string>> ask(double seconds);

  /// Moves what is sent on; what is received is found by looking.
  bool advance() override;
  bool isIdle() const override { return sending.empty(); }

private:
  struct Sent {
    std::string text;
    PccMpiRequest request = 0;
  };
  void sendToOthers(int32_t tag, const std::string &text);
  void send(int32_t tag, int process, const std::string &text);
  bool look();
  bool take(int32_t tag);
  void received(int32_t tag, int process, std::string text);

  const std::shared_ptr<Engine> engine;
  const PccMpiGroup group;
  const std::shared_ptr<Abort> runAbort;

  // Of the engine's thread. A list, since MPI reads the texts where they lie.
  std::list<Sent> sending;

  std::mutex mutex;
  std::condition_variable changed;
  std::function<std::string()> report;
  std::vector<std::optional<std::string>> answers;
};

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_CONTROL_H
