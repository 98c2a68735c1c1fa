// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated groups of the emulated NCCL, which are not launched. Like the real library it simulates
// only blocking communicators and a group's last collective, but no messages. Its figures are
// invented: 10 µs, and 1 µs for each 1,000 bytes of a member.

#include "test/emulator/NcclComms.h"

#include <chrono>
#include <thread>

namespace pcc::test {

using runtime::nccl::SimulationInfo;

Code waitUntilJoined(std::unique_lock<std::mutex> &lock, CommObject *comm) {
  comm->isBlocking = true;
  while (!comm->clique) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
  }
  comm->polls = 0;
  return comm->error;
}

Code simulate(const std::vector<NcclCalled> &calls, SimulationInfo &info) {
  if (SimulationInfo right; info.size != right.size || info.magic != right.magic)
    return failNccl(Code::InvalidArgument, "a simulation's info that was not initialized");
  for (const NcclCalled &own : calls) {
    if (Code code = checkUse(own.comm); code != Code::Success)
      return code;
    if (!own.comm->isBlocking)
      return failNccl(Code::InvalidUsage,
                      "a group is simulated whose communicator does not block, and would run");
    bool isMessage =
        own.call.kind == NcclCall::Kind::Send || own.call.kind == NcclCall::Kind::Receive;
    if (!isMessage)
      info.microseconds = 10 + float(bytesOf(own.call)) / 1000;
  }
  return Code::Success;
}

} // namespace pcc::test
