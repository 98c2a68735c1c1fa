// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checks in the order in which they rely on each other. Communication comes before data,
// because arrivals exist only for an execution that completes. The deadlock check runs twice: with
// the streams as they are, and with collectives alone, launched one by one.

#include "runtime/check/Check.h"

#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/dataflow/Dataflow.h"
#include "runtime/check/match/RendezvousState.h"

#include <fmt/format.h>

namespace pcc::check {
namespace {

abi::Status checkMemory(const abi::Executable &executable, uint64_t limit) {
  std::vector<uint64_t> peaks = peakBytes(executable);
  for (size_t p = 0; p < peaks.size() && limit > 0; ++p)
    if (peaks[p] > limit)
      return abi::Status::badInput(fmt::format("rank {}: expected at most {} bytes, got {}",
                                               abi::ranksOfProgram(executable, int64_t(p)).first,
                                               limit, peaks[p]));
  return {};
}

abi::Status runExecution(const std::vector<ProgramIndex> &programs, const Messages &messages,
                         const Execution &execution, bool launchesOnly) {
  std::vector<RendezvousSchedule> schedules;
  for (const ProgramIndex &index : programs)
    schedules.push_back(
        makeRendezvousSchedule(index, execution.actions[index.number], launchesOnly));
  return runToCompletion(programs, messages, schedules,
                         launchesOnly ? "collectives are launched in a circle" : "deadlock");
}

/// Checks the communication between ranks.
abi::Status checkCommunication(const std::vector<ProgramIndex> &programs, const Messages &messages,
                               const Execution &execution) {
  abi::Status status = checkCollectives(programs, execution);
  if (status.ok())
    status = checkMessages(programs, messages, execution);
  if (status.ok())
    status = runExecution(programs, messages, execution, /*launchesOnly=*/false);
  if (status.ok())
    status = runExecution(programs, messages, execution, /*launchesOnly=*/true);
  return status;
}

/// Checks the memory accesses of each rank.
abi::Status checkData(const std::vector<ProgramIndex> &programs, const Messages &messages,
                      const std::vector<Execution> &executions) {
  std::vector<std::vector<Arrivals>> arrivals;
  for (const Execution &execution : executions)
    arrivals.push_back(listArrivals(programs, messages, execution));
  for (const ProgramIndex &index : programs) {
    ByteMap bytes(index);
    ObservedDataflow found = makeObservedDataflow(index);
    abi::Status status;
    for (size_t e = 0; e < executions.size() && status.ok(); ++e)
      status = checkDataflow(index, bytes, &arrivals[e][index.number], executions[e], found);
    if (status.ok())
      status = checkStatedSources(index, found);
    if (!status.ok())
      return status;
  }
  return {};
}

} // namespace

std::vector<uint64_t> peakBytes(const abi::Executable &executable) {
  std::vector<uint64_t> bytes;
  for (const abi::Program &program : executable.programs())
    bytes.push_back(program.memory().persistent_bytes() + program.memory().temporary_bytes() +
                    program.memory().input_bytes() + abi::constantBytes(executable));
  return bytes;
}

abi::Status prove(const abi::Executable &executable, const ProveOptions &options) {
  if (abi::Status status = checkMemory(executable, options.memoryLimit); !status.ok())
    return status;
  std::vector<ProgramIndex> programs = indexPrograms(executable);
  std::vector<Execution> executions = listExecutions(executable);
  abi::Expected<Messages> messages = findMessages(programs);
  if (!messages)
    return messages.status();
  for (const Execution &execution : executions)
    if (abi::Status status = checkCommunication(programs, *messages, execution); !status.ok())
      return status;
  return checkData(programs, *messages, executions);
}

} // namespace pcc::check
