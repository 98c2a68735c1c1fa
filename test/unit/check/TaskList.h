// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a rank in a step, one for each execution of an instruction, and their dependencies.

#pragma once

#include "runtime/abi/program.pb.h"

#include <map>
#include <vector>

namespace pcc::test {

inline bool isMessage(const abi::Instruction &instruction) {
  return instruction.has_collective() && (instruction.collective().kind() == abi::SEND ||
                                          instruction.collective().kind() == abi::RECV);
}

enum class Phase { Waiting, Begun, Done };

/// One execution of an instruction on a rank.
struct Task {
  const abi::Instruction *instruction;
  abi::Action action;
  bool isFirst = false, isLast = false;        ///< first or last action of its section in the step
  bool fills = false;                          ///< the inputs are filled before it
  std::vector<const abi::Result *> shows = {}; ///< results that can be read when it begins
  std::vector<int> waits = {};                 ///< tasks
  /// The preceding execution of the same instruction, or the preceding message with the same tag.
  /// It is done when this task begins; on TRANSFER it has only begun.
  int before = -1;
  int fusedWith = -1;   ///< the task before it in its fused collective
  int actionBegin = -1; ///< on COMMUNICATION: the last task of COMPUTE in the actions before
  Phase phase = Phase::Waiting;
  std::vector<uint64_t> read = {};
  bool hasRead = false;
  int meeting = -1; ///< number of its rendezvous; -1: none
};

/// Makes the tasks of all ranks for one step.
class TaskMaker {
public:
  explicit TaskMaker(const abi::Executable &executable) : executable(executable) {}

  std::vector<Task> make(int64_t rank);

  /// By rendezvous: the number of ranks that arrive.
  std::vector<size_t> sides;

private:
  /// By event: the task that signaled it last, and the tasks that signaled it by microbatch and
  /// copy.
  struct Signallers {
    std::map<uint32_t, int> last;
    std::map<std::pair<uint32_t, int64_t>, int> byNumber;
  };
  bool goesOn(int64_t rank, const abi::Instruction &a, const abi::Instruction &b) const;
  int rendezvousOf(int64_t rank, const abi::Instruction &instruction);
  void add(int64_t rank, Task task, Signallers &signalers, std::vector<Task> &tasks);
  bool readsInput(const abi::Program &program, const abi::Section &section) const;
  Task readingTask(const abi::Program &program, const abi::Action &action,
                   const std::vector<Task> &tasks) const;
  bool writesTo(const abi::Program &program, const Task &task, const abi::Result &result) const;

  const abi::Executable &executable;
  std::map<std::vector<int64_t>, int> meetingNumbers;
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> counts;
};

} // namespace pcc::test
