// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the memories of the ranks' devices with a communicator. Devices with host memory use the
// host's communicator itself; other devices use the fastest transport that reaches them.

#ifndef PCC_RUNTIME_EXECUTE_DEVICECOMMUNICATOR_H
#define PCC_RUNTIME_EXECUTE_DEVICECOMMUNICATOR_H

#include "runtime/collective/World.h"
#include "runtime/device/Device.h"

namespace pcc::runtime {

/// Takes a rank's host communicator of all ranks and returns the communicator for its device's
/// memory. The device must outlive the result. Every rank calls it once, on its own thread.
using JoinDevices = std::function<Expected<std::shared_ptr<Communicator>>(
    std::shared_ptr<Communicator> host, Device &device)>;

struct JoinOptions {
  /// Always use the host's communicator.
  bool viaHost = false;
  /// Use NCCL or fail.
  bool requiresNccl = false;
  /// Seconds that a rank may wait for other ranks; 0: no limit.
  double timeOut = 0;
  /// Called with the reason if the ranks are joined by a slower transport than possible; null: no
  /// warning.
  std::function<void(const std::string &)> warn = {};
};

/// Chooses the transport for the devices of this process's ranks, given in rank order. Ranks that
/// share a GPU exchange through its memory. Ranks with one GPU each use NCCL. All others use the
/// host's communicator.
JoinDevices chooseJoin(const World &world, const abi::Executable &executable,
                       std::span<const std::unique_ptr<Device>> devices,
                       const JoinOptions &options);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_DEVICECOMMUNICATOR_H
