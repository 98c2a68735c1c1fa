// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What joins the memories of the ranks' devices: for memory of the host the host's communicator
// itself; for others what reaches them best.

#ifndef PCC_RUNTIME_EXECUTE_DEVICECOMMUNICATOR_H
#define PCC_RUNTIME_EXECUTE_DEVICECOMMUNICATOR_H

#include "runtime/collective/World.h"
#include "runtime/device/Device.h"

namespace pcc::runtime {

/// Makes of a rank's communicator for the host's memory, of all ranks, that for the memory of its
/// device, which must outlive it. Called once by every rank, on its thread.
using JoinDevices = std::function<Expected<std::shared_ptr<Communicator>>(
    std::shared_ptr<Communicator> host, Device &device)>;

struct JoinOptions {
  /// By the host's communicator in any case.
  bool overHost = false;
  /// By NCCL, or not at all.
  bool byNccl = false;
  /// Seconds that a rank may wait for others; 0: no limit.
  double timeOut = 0;
  /// Hears where ranks are joined by a slower way than they could be, and why; null: nobody.
  std::function<void(const std::string &)> warn = {};
};

/// The way that fits the devices of this process's ranks, in their order: of ranks that share a
/// GPU by its memory, of several with a GPU each by NCCL, else by the host's communicator.
JoinDevices chooseJoin(const World &world, const abi::Executable &executable,
                       std::span<const std::unique_ptr<Device>> devices,
                       const JoinOptions &options);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_DEVICECOMMUNICATOR_H
