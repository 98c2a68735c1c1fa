// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks of a run as one process sees them: some are its own, the others are other processes'.
// Ranks are cut in contiguous blocks, one per process.

#ifndef PCC_RUNTIME_COLLECTIVE_WORLD_H
#define PCC_RUNTIME_COLLECTIVE_WORLD_H

#include "runtime/collective/Communicator.h"

#include <functional>
#include <optional>

namespace pcc::runtime {

/// How `ranks` ranks lie on `processes` processes.
struct Placement {
  int ranks = 1;
  int processes = 1;

  /// The first rank of a process; of the number behind the last one, the number of ranks.
  int firstOf(int process) const { return int(int64_t(process) * ranks / processes); }
  int countOf(int process) const { return firstOf(process + 1) - firstOf(process); }
  int processOf(int rank) const { return int((int64_t(rank + 1) * processes - 1) / ranks); }
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
  /// True if all ranks are threads of this process.
  bool isWhole() const { return processes() == 1; }

  /// A communicator of all ranks for each own rank, in their order. Called once. A communicator is
  /// used by one thread; abort() by any.
  virtual Expected<std::vector<std::unique_ptr<Communicator>>> connect() = 0;

  /// "process 3 (1234 on node7)".
  virtual std::string nameOf(int process) const { return "this process"; }

  /// What this process tells of its ranks when another one asks, from any thread.
  virtual void answerWith(std::function<std::string()> report) { (void)report; }

  /// The answers of all other processes, by process; none of a process that gives none within
  /// `seconds`, nor of this one.
  virtual std::vector<std::optional<std::string>> ask(double seconds) {
    (void)seconds;
    return std::vector<std::optional<std::string>>(size_t(processes()));
  }

  /// Has `listener` called with the reason when a rank of another process gives the run up, or one
  /// is lost; now if that was before. On some other thread.
  virtual void whenGivenUp(std::function<void(const std::string &)> listener) const {
    (void)listener;
  }

  /// Ends the connection after a run that went well; every process calls it.
  virtual Status close() { return {}; }

private:
  const int ownProcess;
};

/// A world whose ranks are all threads of this process (LocalCommunicator.h).
std::unique_ptr<World> makeLocalWorld(std::vector<std::unique_ptr<Communicator>> communicators);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_COLLECTIVE_WORLD_H
