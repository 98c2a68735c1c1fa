// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks of a run as seen by one process: its own ranks, and those of other processes. Each
// process has a contiguous block of ranks.

#pragma once

#include "runtime/collective/Communicator.h"

#include <functional>
#include <optional>

namespace pcc::runtime {

/// The distribution of `ranks` ranks over `processes` processes.
struct Placement {
  int ranks = 1;
  int processes = 1;

  /// Returns the first rank of a process; for `processes`, the number of ranks.
  int firstOf(int process) const { return int(int64_t(process) * ranks / processes); }
  int countOf(int process) const { return firstOf(process + 1) - firstOf(process); }
  int processOf(int rank) const { return int((int64_t(rank + 1) * processes - 1) / ranks); }
  /// Names the ranks of a process: "rank 2" or "ranks 2 to 3".
  std::string nameRanksOf(int process) const;
};

class World {
public:
  World(Placement placement, int process) : placement(placement), ownProcess(process) {}
  virtual ~World() = default;

  const Placement placement;
  int process() const { return ownProcess; }
  int processes() const { return placement.processes; }
  int firstRank() const { return placement.firstOf(ownProcess); }
  int ownRanks() const { return placement.countOf(ownProcess); }
  /// Returns true if all ranks are threads of this process.
  bool isSingleProcess() const { return processes() == 1; }

  /// Returns a communicator of all ranks for each own rank, in rank order. Called once. One thread
  /// uses a communicator; any thread may call abort().
  virtual Expected<std::vector<std::unique_ptr<Communicator>>> connect() = 0;

  /// Returns a process's name, for example "process 3 (1234 on node7)".
  virtual std::string nameOf(int process) const { return "this process"; }

  /// Sets the report on this process's ranks that other processes receive when they ask. Any thread
  /// may call it.
  virtual void answerWith(std::function<std::string()> report) { (void)report; }

  /// Returns the answers of all other processes, by process. A process without an answer within
  /// `seconds` has none, nor does this process.
  virtual std::vector<std::optional<std::string>> ask(double seconds) {
    (void)seconds;
    return std::vector<std::optional<std::string>>(size_t(processes()));
  }

  /// Registers `listener`, which is called with the reason when a rank of another process aborts
  /// the run, or when a process is lost. If that has already happened, it is called at once. It may
  /// be called on any thread.
  virtual void onAbort(std::function<void(const std::string &)> listener) const { (void)listener; }

  /// Keeps `memory`, which the ranks of an aborted run have used, as long as the transport may
  /// still read or write it. Most transports are done with it when the ranks' waits have ended.
  virtual void keep(std::shared_ptr<const void> memory) const { (void)memory; }

  /// Ends the connection after a successful run; every process calls it.
  virtual Status close() { return {}; }

private:
  const int ownProcess;
};

/// Returns a world whose ranks are all threads of this process (LocalCommunicator.h).
std::unique_ptr<World> makeLocalWorld(std::vector<std::unique_ptr<Communicator>> communicators);

} // namespace pcc::runtime
